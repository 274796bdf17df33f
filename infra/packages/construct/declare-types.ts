import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { root, writeInto } from "./package-files.ts";

const entry = join(root, "infra/packages/construct/public.ts");
const relativeImport = /(from |import\()"(\.[^"]+)\.ts"/g;

/** The declarations that the package's exports need, once for ESM and once for CommonJS. */
export function declareTypes(folder: string): void {
  const emitted = mkdtempSync(join(tmpdir(), "paycast-types-"));
  try {
    emitDeclarations(emitted);
    const first = join(emitted, relative(root, entry)).replace(/\.ts$/, ".d.ts");
    for (const path of reachableFrom(first)) {
      const name = path === first ? "index" : basename(path, ".d.ts");
      const text = readFileSync(path, "utf8");
      writeInto(folder, `${name}.d.ts`, flatten(text, "js"));
      writeInto(folder, `${name}.d.cts`, flatten(text, "cjs"));
    }
  } finally {
    rmSync(emitted, { recursive: true });
  }
}

function emitDeclarations(outDir: string): void {
  const project = join(outDir, "tsconfig.json");
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    rootDir: root,
    outDir,
    typeRoots: [join(root, "node_modules/@types")],
  };
  const extended = join(root, "tsconfig.json");
  const settings = { extends: extended, compilerOptions, include: [], files: [entry] };
  writeFileSync(project, JSON.stringify(settings));
  try {
    execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", project], { encoding: "utf8" });
  } catch (cause) {
    throw new PaycastError(
      "bundle-failed",
      "the package's types cannot be made: run npm run check",
      {
        cause,
      },
    );
  }
}

function reachableFrom(path: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const [, , target] of readFileSync(path, "utf8").matchAll(relativeImport)) {
    reachableFrom(join(dirname(path), `${target}.d.ts`), seen);
  }
  return seen;
}

/** All declarations are in one folder, under the names of the modules that they describe. */
function flatten(text: string, extension: "js" | "cjs"): string {
  return text.replace(
    relativeImport,
    (_, before: string, target: string) => `${before}"./${basename(target)}.${extension}"`,
  );
}
