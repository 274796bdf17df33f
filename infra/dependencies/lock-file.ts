import { readFileSync } from "node:fs";
import { posix } from "node:path";
import * as z from "zod";
import packageJson from "../../package.json" with { type: "json" };
import { licenceOf } from "../packages/construct/bundled-packages.ts";

const entrySchema = z.object({
  version: z.string().default(""),
  license: z.unknown().optional(),
  integrity: z.string().optional(),
  dev: z.boolean().default(false),
  optional: z.boolean().default(false),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

const lockSchema = z.object({ packages: z.record(z.string(), entrySchema) });

/** A package that `npm ci` installs, on this platform or another. */
export interface LockedPackage {
  /** Where it is installed, from the root of the repository. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly integrity: string | undefined;
  /** Only tests, checks and builds of the repository need it. */
  readonly isForDevelopment: boolean;
  /** It is installed only where it works, for instance a program for one platform. */
  readonly isOptional: boolean;
  /** The names of the packages that it needs. */
  readonly needs: readonly string[];
}

const lockFile = new URL("../../package-lock.json", import.meta.url);

/** All packages of package-lock.json, by path. */
export function lockedPackages(text: string = readFileSync(lockFile, "utf8")): LockedPackage[] {
  const { packages } = lockSchema.parse(JSON.parse(text));
  return Object.entries(packages)
    .filter(([path]) => path !== "")
    .map(([path, entry]) => ({
      path,
      name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
      version: entry.version,
      licence: licenceOf(entry.license),
      integrity: entry.integrity,
      isForDevelopment: entry.dev,
      isOptional: entry.optional,
      needs: Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }),
    }));
}

/** The packages of package.json that `npm ci --omit=dev` installs. */
export const productionNames: readonly string[] = Object.keys({
  ...packageJson.dependencies,
  ...packageJson.optionalDependencies,
});

/** What a package gets when it imports its dependencies: the nearest node_modules on the way up has it. */
export function needsOf(one: LockedPackage, all: ReadonlyMap<string, LockedPackage>) {
  return one.needs.flatMap((name) => nearest(one.path, name, all) ?? []);
}

function nearest(
  from: string,
  name: string,
  all: ReadonlyMap<string, LockedPackage>,
): LockedPackage | undefined {
  const found = all.get(posix.join(from, "node_modules", name));
  if (found !== undefined || from === ".") return found;
  return nearest(posix.dirname(from), name, all);
}

/** The packages with these names at the top, and all that they need. */
export function closureOf(names: readonly string[], locked: readonly LockedPackage[]) {
  const all = new Map(locked.map((one) => [one.path, one]));
  const reached = new Set<LockedPackage>();
  const reach = (one: LockedPackage): void => {
    if (reached.has(one)) return;
    reached.add(one);
    for (const next of needsOf(one, all)) reach(next);
  };
  for (const name of names) {
    const top = all.get(`node_modules/${name}`);
    if (top !== undefined) reach(top);
  }
  return reached;
}
