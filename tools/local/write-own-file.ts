import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Written under another name, then renamed: nobody ever reads half of it. Only its owner may read it. */
export function writeOwnFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  // A file that is there keeps its mode.
  rmSync(`${path}.new`, { force: true });
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
