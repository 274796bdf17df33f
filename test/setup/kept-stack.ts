import { createHash } from "node:crypto";
import { join } from "node:path";

/**
 * A folder for a stack's template and keys, which take seconds to make. It is kept for later runs, also by `npm ci`.
 * Several workers read and write it at the same time, so each file in it is renamed there when it is whole.
 */
export function keptStack(name: string): string {
  return join(".cache/test-stacks", name);
}

/** The folder for the stacks of a config. The template there has a key, so one of other sources is never used. */
export function keptStackOf(config: object): string {
  return keptStack(createHash("sha256").update(JSON.stringify(config)).digest("hex").slice(0, 16));
}
