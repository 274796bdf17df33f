import { execFileSync } from "node:child_process";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { root } from "./bundles.ts";

/** The newest version that runs on Node 20. npx fetches it once, so that `npm ci` does not install its 70 packages. */
const checker = "license-checker-rseidelsohn@4.4.2";
const args = ["--production", "--excludePrivatePackages", "--plainVertical"];

/** The licence texts of everything that `npm ci --omit=dev` installs, including what the bundles contain. */
export function thirdPartyNotices(): string {
  const options = { cwd: root, encoding: "utf8", maxBuffer: 1e8 } as const;
  return execFileSync("npx", ["--yes", "--ignore-scripts", checker, ...args], options);
}

/**
 * Throws `bundle-failed` if a bundle contains a package that has no notice. `content` names the source files of the
 * bundles.
 */
export function checkNotices(notices: string, content: readonly string[]): void {
  const missing = packagesOf(content).filter((name) => !`\n${notices}`.includes(`\n${name} `));
  if (missing.length === 0) return;
  throw new PaycastError(
    "bundle-failed",
    `${missing.join(", ")}: bundled, but not in "dependencies" of package.json, so the notices lack its licence.`,
  );
}

/** The packages that the files belong to: the last node_modules of a path counts. */
function packagesOf(files: readonly string[]): string[] {
  const names = files.flatMap(
    (file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [],
  );
  return [...new Set(names)].sort();
}
