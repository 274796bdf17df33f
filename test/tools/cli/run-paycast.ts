import type { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { createColours } from "../../../shared/text/terminal-text.ts";
import type { Terminal } from "../../../tools/cli/frame/command.ts";
import { main } from "../../../tools/cli/main.ts";
import { command } from "../../setup/command.ts";
import { temporaryFolder } from "../../setup/temporary-folder.ts";
import { type CallbackVector, keyPairs, type RequestVector } from "../../vectors/vectors.ts";

export interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const folder = temporaryFolder("cli");

/** The command in a process of its own. */
export function runPaycast(...args: string[]): Promise<Run> {
  return runCommand(process.execPath, [command, ...args]);
}

export async function runCommand(command: string, args: readonly string[]): Promise<Run> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, out, err };
}

/** The same without starting a process, for the many. */
export async function runHere(
  args: readonly string[],
  changes: Partial<Terminal> = {},
): Promise<Run> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await main(args, {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    errIsTty: false,
    colours: createColours(false),
    stopped: new AbortController().signal,
    ...changes,
  });
  return { code, out: out.join(""), err: err.join("") };
}

let written = 0;

/** Puts each option's content into a file, and gives the arguments of `detect-profile` that name them. */
export function detectArgs(
  contents: Record<string, string | Buffer>,
  ...flags: string[]
): string[] {
  const named = Object.entries(contents).flatMap(([option, content]) => [
    `--${option}`,
    writtenFile(content),
  ]);
  return ["detect-profile", ...named, ...flags];
}

export function writtenFile(content: string | Buffer): string {
  const path = join(folder, `${written++}`);
  writeFileSync(path, content);
  return path;
}

/** The files of a vector; a fixed IV beside them, since nobody can guess it. */
export function callbackFiles(vector: CallbackVector): Record<string, string> {
  return {
    callback: JSON.stringify(vector.envelope),
    "aes-key": `${vector.aesKey}\n`,
    "public-key": keyPairs[vector.publicKey]!.public.spkiPem,
    ...ivFile(vector.profile),
  };
}

export function requestFiles(vector: RequestVector): Record<string, string> {
  return {
    request: JSON.stringify(vector.envelope),
    "aes-key": vector.aesKey,
    "private-key": keyPairs[vector.privateKey]!.private.pkcs8Pem,
    ...ivFile(vector.profile),
  };
}

function ivFile({ fixedIv }: Record<string, unknown>): Record<string, string> {
  return typeof fixedIv === "string" ? { iv: `${fixedIv}\n` } : {};
}

const row = {
  code: z.string(),
  result: z.string(),
  action: z.string().endsWith("."),
};
const fittingRow = z.strictObject({
  ...row,
  code: z.literal("fits"),
  action: z.string(),
  profile: z.record(z.string(), z.unknown()),
});
const undecidedRow = z.strictObject({
  ...row,
  code: z.literal("undecided"),
  undecided: z.record(z.string(), z.array(z.string())),
});
const effort = { combinations: z.int().positive() };

/** What `--json` prints, to the letter: scripts rely on it. */
const foundTable = z.strictObject({
  found: z.literal(true),
  ...effort,
  rows: z.tuple([fittingRow], undecidedRow),
});

const notFoundTable = z.strictObject({
  found: z.literal(false),
  ...effort,
  rows: z.array(z.strictObject(row)).min(1),
});

export async function detected(contents: Record<string, string | Buffer>) {
  const { code, out } = await runHere(detectArgs(contents, "--json"));
  if (code !== 0) throw new Error(`exit code ${code}: ${out}`);
  const { combinations, rows } = foundTable.parse(JSON.parse(out));
  const [{ profile, result, action }, open] = rows;
  return { combinations, profile, result, action, undecided: open?.undecided ?? {} };
}

export async function undetected(contents: Record<string, string | Buffer>) {
  const { code, out } = await runHere(detectArgs(contents, "--json"));
  if (code !== 1) throw new Error(`exit code ${code}: ${out}`);
  return notFoundTable.parse(JSON.parse(out)).rows;
}
