import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import type { Run } from "../cli/run-paycast.ts";
import type { OperatedStack } from "../operations/operated-stack.ts";

const bin = fileURLToPath(new URL("../../cli/paycast.mjs", import.meta.url));

/** What an operator writes in place of the document's words in capitals and of its file names. */
export type Words = Readonly<Record<string, string>>;

/** An operator who follows the runbook word for word on a stack. */
export function useOperator({ paycast, directory }: OperatedStack) {
  const shims = mkdtempSync(join(tmpdir(), "paycast-runbook-"));
  afterAll(() => rmSync(shims, { recursive: true, force: true }));
  writeShim(join(shims, "npx"), `shift; exec "${process.execPath}" "${bin}" "$@"`);
  // There is no AWS command here: it only tells with which words it was called.
  writeShim(join(shims, "aws"), `printf '%s\\n' "$@"`);
  const environment = () => ({
    ...process.env,
    PATH: `${shims}:${process.env["PATH"]}`,
    PAYCAST_DIRECTORY: directory,
  });
  return {
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
  };
}

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
