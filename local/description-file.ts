import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PaycastError } from "../shared/paycast-error.ts";
import { descriptionSchema, type StackDescription } from "./describe-stack.ts";

export function descriptionFile(directory: string): string {
  return join(directory, "local.json");
}

/** Whole or not at all: whoever waits for the file reads it as soon as it is there. */
export function writeDescription(directory: string, description: StackDescription): void {
  mkdirSync(directory, { recursive: true });
  const file = descriptionFile(directory);
  writeFileSync(`${file}.new`, `${JSON.stringify(description, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** Undefined if there is none, or none that can be read. */
export function readDescription(directory: string): StackDescription | undefined {
  const file = descriptionFile(directory);
  if (!existsSync(file)) return undefined;
  try {
    return descriptionSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** Two stacks in one folder would overwrite each other's keys and data; a file left by a crash is no stack. */
export async function refuseSecondStart(directory: string): Promise<void> {
  const description = readDescription(directory);
  if (description === undefined || !(await isServing(description.api))) return;
  throw new PaycastError(
    "local-already-running",
    `A local stack of this folder runs already, at ${description.api}. End it with Ctrl-C where it was started.`,
  );
}

/**
 * Only the local API answers with API Gateway's header; anything else there is another program. A function answers
 * unknown paths, and may have to start first.
 */
async function isServing(api: string): Promise<boolean> {
  try {
    const response = await fetch(api, { signal: AbortSignal.timeout(10_000) });
    return response.headers.has("apigw-requestid");
  } catch {
    return false;
  }
}
