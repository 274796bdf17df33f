import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { root, writeInto } from "./bundles.ts";

const packedSchema = z.tuple([z.object({ filename: z.string() })]);

/** Packs a folder that `fill` writes and returns the tarball's path. `fill` returns the package.json. */
export async function npmPack(
  destination: string,
  fill: (folder: string) => Promise<object>,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "paycast-package-"));
  try {
    const manifest = await fill(folder);
    writeInto(folder, "package.json", `${JSON.stringify(manifest, null, 2)}\n`);
    mkdirSync(destination, { recursive: true });
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", destination];
    const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
    const output = execFileSync("npm", args, { cwd: folder, encoding: "utf8", stdio });
    const [{ filename }] = packedSchema.parse(JSON.parse(output));
    return join(destination, filename);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The paths of an entry of the package, for ESM and CommonJS. */
export function entryIn(path: string): object {
  return {
    import: { types: `${path}.d.ts`, default: `${path}.js` },
    require: { types: `${path}.d.cts`, default: `${path}.cjs` },
  };
}

interface TypesOptions {
  /** The packages of global types that the modules may use. Without any, a module that uses Node does not compile. */
  readonly types: readonly string[];
  /** Declarations that replace those of some modules. */
  readonly instead?: Readonly<Record<string, string>>;
}

const relativeImport = /(from |import\()"(\.[^"]+)\.ts"/g;

/**
 * Writes the declarations of a package's exports, once for ESM and once for CommonJS. The entries are modules of this
 * folder, by their names in the package.
 */
export function declareTypes(
  folder: string,
  entries: Readonly<Record<string, string>>,
  { types, instead = {} }: TypesOptions,
): void {
  const emitted = mkdtempSync(join(tmpdir(), "paycast-types-"));
  try {
    const paths = Object.values(entries).map((module) => join("tools/contract/packages", module));
    emitDeclarations(paths, types, emitted);
    for (const [module, text] of Object.entries(instead)) {
      writeInto(emitted, declared(module), text);
    }
    const names = new Map(
      Object.entries(entries).map(([name, module]) => [
        join(emitted, "tools/contract/packages", declared(module)),
        name,
      ]),
    );
    for (const path of [...names.keys()].reduce(addReachable, new Set<string>())) {
      const name = names.get(path) ?? basename(path, ".d.ts");
      const text = readFileSync(path, "utf8");
      writeInto(folder, `${name}.d.ts`, flatten(text, "js"));
      writeInto(folder, `${name}.d.cts`, flatten(text, "cjs"));
    }
  } finally {
    rmSync(emitted, { recursive: true });
  }
}

function declared(module: string): string {
  return module.replace(/\.ts$/, ".d.ts");
}

function emitDeclarations(
  modules: readonly string[],
  types: readonly string[],
  outDir: string,
): void {
  const project = join(outDir, "tsconfig.json");
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    rootDir: root,
    outDir,
    types,
    typeRoots: [join(root, "node_modules/@types")],
  };
  const files = modules.map((module) => join(root, module));
  const settings = { extends: join(root, "tsconfig.json"), compilerOptions, include: [], files };
  writeFileSync(project, JSON.stringify(settings));
  try {
    execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", project], { encoding: "utf8" });
  } catch (cause) {
    const found = cause instanceof Error && "stdout" in cause ? cause.stdout : "";
    const message = `the package's types cannot be generated: ${found}`;
    throw new PaycastError("bundle-failed", message, { cause });
  }
}

function addReachable(seen: Set<string>, path: string): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const text = readFileSync(path, "utf8");
  const targets = [...text.matchAll(relativeImport)].map(([, , target]) => `${target}.d.ts`);
  return targets.map((target) => join(dirname(path), target)).reduce(addReachable, seen);
}

/** All declarations are in one folder, with the names of their modules. */
function flatten(text: string, extension: "js" | "cjs"): string {
  return text.replace(
    relativeImport,
    (_match, before: string, target: string) => `${before}"./${basename(target)}.${extension}"`,
  );
}
