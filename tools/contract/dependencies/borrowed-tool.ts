import { execFileSync } from "node:child_process";
import { root } from "../packages/bundles.ts";

/** Runs a tool that only this task needs, so that `npm ci` does not install it. Throws if the tool fails. */
export function runBorrowed(tool: string, ...args: readonly string[]): string {
  const options = { cwd: root, encoding: "utf8", maxBuffer: 100_000_000 } as const;
  return execFileSync("npx", ["--yes", "--ignore-scripts", tool, ...args], options);
}
