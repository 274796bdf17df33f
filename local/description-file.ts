import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  descriptionSchema,
  type LocalDescription,
} from "../operations/target/local-description.ts";
import { PaycastError } from "../shared/paycast-error.ts";

export function descriptionFile(directory: string): string {
  return join(directory, "local.json");
}

/**
 * Written under another name, then renamed: a script that waits for the file never reads half of it. Only its owner may
 * read it, because it holds the console's token.
 */
export function writeDescription(directory: string, description: LocalDescription): void {
  mkdirSync(directory, { recursive: true });
  const file = descriptionFile(directory);
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Undefined if the file does not exist or cannot be read. */
function readDescription(directory: string): LocalDescription | undefined {
  const file = descriptionFile(directory);
  if (!existsSync(file)) return undefined;
  try {
    return descriptionSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** Two stacks in one folder would overwrite each other's keys and data. A file left by a crash does not count. */
export async function refuseSecondStart(directory: string): Promise<void> {
  const description = readDescription(directory);
  if (description === undefined || !(await isServing(description.api))) return;
  throw new PaycastError(
    "local-already-running",
    `A local stack already runs in this folder, at ${description.api}. Stop it with Ctrl-C in its terminal.`,
  );
}

/**
 * Only the local API answers with API Gateway's header. An answer without it comes from another program. The wait is
 * long enough for a function to start, since a function answers unknown paths.
 */
async function isServing(api: string): Promise<boolean> {
  try {
    const response = await fetch(api, { signal: AbortSignal.timeout(10_000) });
    return response.headers.has("apigw-requestid");
  } catch {
    return false;
  }
}
