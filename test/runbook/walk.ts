import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect } from "vitest";
import { until } from "../end-to-end/running-stack.ts";
import { command as commandFile } from "../setup/command.ts";
import type { Run } from "../tools/cli/run-paycast.ts";
import { openConsole } from "../tools/console/open-console.ts";
import type { OperatedStack } from "../tools/operations/operated-stack.ts";
import { labRequest, stepsOf } from "./runbook.ts";

/** What an operator writes in place of the document's words in capitals and of its file names. */
export type Words = Readonly<Record<string, string>>;

/** An operator who follows the runbook word for word on a stack. */
export function useOperator({ paycast, directory, stack }: OperatedStack) {
  const shims = mkdtempSync(join(tmpdir(), "paycast-runbook-"));
  afterAll(() => rmSync(shims, { recursive: true, force: true }));
  writeShim(join(shims, "npx"), `shift; exec "${process.execPath}" "${commandFile}" "$@"`);
  // There is no AWS command here: it only tells with which words it was called.
  writeShim(join(shims, "aws"), `printf '%s\\n' "$@"`);
  const environment = () => ({
    ...process.env,
    PATH: `${shims}:${process.env["PATH"]}`,
    PAYCAST_DIRECTORY: directory,
  });
  const operator = {
    /** Types one command of the document. */
    type: async (command: string | undefined, words: Words = {}): Promise<Run> => {
      const [, , ...args] = fill(command ?? "", words).split(/\s+/);
      return await paycast(...args);
    },
    /** Copies a whole block into a shell. Gives what it printed. */
    paste: async (block: string | undefined, words: Words = {}): Promise<Run> => {
      const child = spawn("sh", ["-c", fill(block ?? "", words)], {
        env: environment(),
        stdio: ["ignore", "pipe", "pipe"],
      });
      const closed = new Promise<number | null>((resolve, reject) => {
        child.on("error", reject).on("close", resolve);
      });
      const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
      return { out, err, code };
    },
    /** Does what a section's last part says. `aws` does what the AWS command would do, from its words. */
    practise: async (section: string, words: Words, aws: (words: readonly string[]) => unknown) => {
      const { send } = await openConsole(stack().description.console);
      const run = async (command: string) => {
        if (!command.startsWith("eval")) return (await operator.type(command, words)).out;
        const { out } = await operator.paste(command, words);
        if (command.includes(" aws ")) await aws(out.trimEnd().split("\n"));
        return out;
      };
      // Counts are per minute, and a minute with a success does not count as an outage.
      await send("/api/lab/jump", { seconds: 60 });
      try {
        for (const { lab, command, says } of stepsOf(section)) {
          if (lab !== undefined) await send(...labCall(lab));
          if (command !== undefined) {
            let out = "";
            const what = () => `${command} to say ${says}. The last time it said:\n${out}`;
            await until(what, async () => {
              out = plain(await run(command));
              return out.includes(says ?? "") ? true : undefined;
            });
          }
        }
      } finally {
        await send(...labCall("Clear all faults"));
      }
    },
  };
  return operator;
}

function labCall(name: string): [path: string, body: object] {
  const [path, body] = labRequest(name) ?? [];
  if (path === undefined || body === undefined) throw new Error(`The Lab has no switch ${name}`);
  return [`/api/lab/${path}`, body];
}

/** Columns are filled with spaces. */
const plain = (out: string) => out.replaceAll(/ +/g, " ");

function writeShim(path: string, line: string): void {
  writeFileSync(path, `#!/bin/sh\n${line}\n`);
  chmodSync(path, 0o755);
}

function fill(command: string, words: Words): string {
  const filled = Object.entries(words).reduce(
    (line, [word, value]) => line.replaceAll(new RegExp(`(?<![\\w-])${word}\\b`, "g"), value),
    command,
  );
  expect(filled, "a command of the document").toMatch(/\bnpx paycast \w/);
  return filled;
}
