import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * The types of an entry in one file: the declarations of its modules one after the other. A module that belongs to the
 * main entry is imported from there, as `index`.
 */
export function declarationsOf(entry: string, index?: string): string {
  const folder = mkdtempSync(join(tmpdir(), "paycast-declarations-"));
  try {
    emit(entry, folder);
    const modules = modulesOf(entry).map((path) =>
      readFileSync(join(folder, path.replace(/\.ts$/, ".d.ts")), "utf8"),
    );
    return [...importsFrom(index, modules), ...modules.map(withoutImports), "export {};\n"].join(
      "\n",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function emit(entry: string, outDir: string): void {
  const config = join(outDir, "tsconfig.json");
  const emitting = { noEmit: false, declaration: true, emitDeclarationOnly: true };
  const compilerOptions = { ...emitting, outDir, rootDir: root, types: [] };
  const files = [join(root, entry)];
  writeFileSync(
    config,
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, files, include: [] }),
  );
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", config], {
    cwd: root,
    stdio: "inherit",
  });
}

/** The modules that an entry exports, in its order. */
function modulesOf(entry: string): string[] {
  const text = readFileSync(join(root, entry), "utf8");
  return [...text.matchAll(/from "(?:\.\.\/)+([^"]+)"/g)].map(([, path = ""]) => path);
}

const importLine = /^import (?:type )?\{([^}]*)\} from "[^"]+";\n/gm;

function withoutImports(text: string): string {
  return text.replace(importLine, "").replace(/^export \{\};\n/gm, "");
}

function importsFrom(index: string | undefined, modules: readonly string[]): string[] {
  if (index === undefined) return [];
  const lists = modules.flatMap((text) =>
    [...text.matchAll(importLine)].map(([, names = ""]) => names),
  );
  const names = lists
    .flatMap((list) => list.split(","))
    .map((name) => name.replace("type ", "").trim());
  return [`import type { ${[...new Set(names)].sort().join(", ")} } from "${index}";\n`];
}
