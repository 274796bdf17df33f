import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./measured.ts";

/** The tracked files as they are now, in a new temporary folder. */
export function copyRepository(purpose: string): string {
  const copy = mkdtempSync(join(tmpdir(), `paycast-${purpose}-`));
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: root }).toString().split("\0");
  for (const file of files.filter(Boolean)) cpSync(join(root, file), join(copy, file));
  for (const name of ["node_modules", ".git"]) symlinkSync(join(root, name), join(copy, name));
  return copy;
}
