import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cwd = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Runs a tool that only this task needs, so that `npm ci` does not install it: it goes into a folder of its own, which is
 * deleted afterwards. Throws if the tool fails.
 */
export function runBorrowed(name: string, version: string, args: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "paycast-tool-"));
  try {
    const installing = ["install", "--silent", "--no-save", "--no-package-lock"];
    execFileSync("npm", [
      ...installing,
      "--ignore-scripts",
      "--prefix",
      folder,
      `${name}@${version}`,
    ]);
    const bin = join(folder, "node_modules/.bin", name.replace(/^@.*\//, ""));
    return execFileSync(bin, args, { cwd, encoding: "utf8", maxBuffer: 100_000_000 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
