import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes to a temporary name, then renames: no reader ever sees an incomplete file. Only its owner may read it. */
export function writeOwnFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  // An existing file keeps its mode.
  rmSync(`${path}.new`, { force: true });
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
