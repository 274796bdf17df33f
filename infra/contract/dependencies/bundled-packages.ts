import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { root } from "../packing/bundles.ts";

/** A package that contributes to a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** As its package.json says it: an SPDX expression, where all is well. */
  readonly licence: string;
  /** From the root of the repository, as in package-lock.json. */
  readonly path: string;
  readonly repository: string;
}

/** The packages that the files belong to, by path. */
export function bundledPackages(files: readonly string[]): BundledPackage[] {
  // The last node_modules of the path: a package may have packages of its own.
  const paths = files.flatMap(
    (file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
  );
  return [...new Set(paths)].sort().map(readPackage);
}

const repositorySchema = z.union([
  z.string(),
  z.object({ url: z.string() }).transform(({ url }) => url),
]);

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.unknown().optional(),
  repository: repositorySchema.default(""),
});

function readPackage(path: string): BundledPackage {
  const text = readFileSync(join(root, path, "package.json"), "utf8");
  const { license, ...rest } = manifestSchema.parse(JSON.parse(text));
  return { ...rest, licence: licenceOf(license), path };
}

/** Some packages name none. Old ones have an array or an object, which is no SPDX expression and stays as it is. */
function licenceOf(license: unknown): string {
  return typeof license === "string" ? license : (JSON.stringify(license) ?? "none");
}
