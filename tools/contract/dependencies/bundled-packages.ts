import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { root } from "../packages/bundles.ts";

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

const introduction = "Paycast contains these packages, under their own licences.\n";
const rule = `\n${"-".repeat(80)}\n\n`;

/** `THIRD-PARTY-NOTICES.txt`: each licence text once, with the packages that it belongs to. Throws `bundle-failed`. */
export function noticesFor(packages: readonly BundledPackage[]): string {
  const groups = new Map<string, { text: string; titles: string[] }>();
  for (const one of packages) {
    const text = noticeOf(one, packages);
    // Texts that differ only in spaces are one text.
    const key = text.replace(/\s+/g, " ");
    const { titles } = groups.get(key) ?? { titles: [] };
    const title = `${one.name} ${one.version} (${one.licence})`;
    groups.set(key, { text, titles: [...titles, title] });
  }
  const parts = [...groups.values()].map(({ text, titles }) => `${titles.join("\n")}\n\n${text}\n`);
  return [introduction, ...parts].join(rule);
}

function noticeOf(one: BundledPackage, packages: readonly BundledPackage[]): string {
  const licence = textsOf(one, /^licen[cs]e|^copying/i);
  // Apache-2.0, section 4(d): a NOTICE goes along with the code.
  const notice = textsOf(one, /^notice/i);
  return [...(licence.length > 0 ? licence : sisterText(one, packages)), ...notice].join("\n\n");
}

/** Some packages have no licence file of their own, only their repository has: then a package beside it tells. */
function sisterText(one: BundledPackage, packages: readonly BundledPackage[]): string[] {
  const sisters = packages.filter(
    ({ repository, licence }) => repository === one.repository && licence === one.licence,
  );
  const [text] = sisters.flatMap((sister) => textsOf(sister, /^licen[cs]e/i));
  if (text !== undefined && one.repository !== "") return [text];
  throw new PaycastError(
    "bundle-failed",
    `${one.name} ${one.version} (${one.licence}) has no licence file, and no package of the same repository has one. Use a version with one, or another package.`,
  );
}

function textsOf({ path }: BundledPackage, pattern: RegExp): string[] {
  const folder = join(root, path);
  const entries = readdirSync(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && pattern.test(entry.name));
  return files.map(({ name }) => readFileSync(join(folder, name), "utf8").trim());
}
