import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Area } from "./areas.ts";
import { instrumentedFolder, type Mutant, mutantsFile, tools } from "./journal.ts";

interface Place {
  readonly line: number;
  readonly column: number;
}

interface Made {
  readonly id: string;
  readonly fileName: string;
  readonly replacement: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

interface Sources {
  readonly files: readonly { readonly name: string; readonly content: string }[];
  readonly mutants: readonly Made[];
}

export interface Instrumented {
  /** Every change that Stryker can make. */
  readonly all: readonly Mutant[];
  /** Those that are to be tried. */
  readonly sample: readonly Mutant[];
}

/**
 * Writes the folders' sources with all changes in them, each behind a switch: one of them can be on at a time. This is
 * Stryker's own code; only how tests are run differs (run-mutants.ts).
 */
export async function instrument(chosen: readonly Area[]): Promise<Instrumented> {
  const names = chosen.flatMap(({ folder }) => sourcesIn(folder));
  const sources = new Map(names.map((name) => [name, readFileSync(name, "utf8")]));
  const { files, mutants } = await instrumentSources(sources);
  rmSync(instrumentedFolder(), { recursive: true, force: true });
  for (const { name, content } of files) {
    const file = join(instrumentedFolder(), name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const all = mutants.map((made) => asMutant(made, sources.get(made.fileName) ?? "", chosen));
  const every = new Map(chosen.map((area) => [area.folder, area.every]));
  const sample = all.filter((mutant) => isDrawn(mutant, every.get(mutant.folder) ?? 1));
  writeFileSync(mutantsFile(), JSON.stringify(sample));
  return { all, sample };
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/${file}`)
    .sort();
}

/** The same change is drawn again as long as its text stays the same, wherever it stands in its file. */
function isDrawn({ at, code, replacement }: Mutant, every: number): boolean {
  const [file] = at.split(":");
  const hash = createHash("sha256")
    .update(JSON.stringify([file, code, replacement]))
    .digest();
  return hash.readUInt32BE() % every === 0;
}

async function instrumentSources(sources: ReadonlyMap<string, string>): Promise<Sources> {
  const path = `${tools}/node_modules/@stryker-mutator/instrumenter/dist/src/index.js`;
  const { Instrumenter } = await import(pathToFileURL(path).href);
  const silent = () => {};
  const logger = { debug: silent, info: silent, warn: console.warn, isDebugEnabled: () => false };
  return await new Instrumenter(logger).instrument(
    [...sources].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [] },
  );
}

function asMutant(
  { id, fileName, replacement, location }: Made,
  source: string,
  chosen: readonly Area[],
): Mutant {
  const { start, end } = location;
  const at = `${fileName}:${start.line + 1}:${start.column + 1}-${end.line + 1}:${end.column + 1}`;
  const lines = source.split("\n").slice(start.line, end.line + 1);
  const last = lines.length - 1;
  const code = lines
    .map((line, index) => (index === last ? line.slice(0, end.column) : line))
    .map((line, index) => (index === 0 ? line.slice(start.column) : line))
    .join("\n");
  const version = createHash("sha256").update(source).digest("hex").slice(0, 12);
  const folder = chosen.find((area) => fileName.startsWith(`${area.folder}/`))?.folder ?? "";
  return { id, folder, at, code, replacement, name: `${version} ${at} ${replacement}` };
}
