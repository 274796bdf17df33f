import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../../setup/temporary-folder.ts";

const compiler = fileURLToPath(
  new URL("../../../node_modules/typescript/bin/tsc", import.meta.url),
);

/** The strictest that a consumer may have. The package's own declarations are checked, too. */
const compilerOptions = {
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noUnusedLocals: true,
  verbatimModuleSyntax: false,
  isolatedModules: true,
  module: "nodenext",
  target: "es2022",
  lib: ["es2022"],
  outDir: "out",
  rootDir: ".",
  types: ["ambient"],
  typeRoots: ["./types"],
  resolveJsonModule: true,
};

/** All that the programs use of their surroundings; they install no types of Node. */
const ambient = "declare const console: { log(...values: unknown[]): void };\n";

export interface ConsumerProject {
  readonly directory: string;
  /** Type-checks the files and compiles them. Throws with the compiler's words. */
  readonly compile: (files: Readonly<Record<string, string>>) => void;
  /** Runs a compiled file. Gives what it prints. */
  readonly run: (file: string, ...args: readonly string[]) => string;
}

/** An empty project outside of the repository, in which a tarball is installed without a network. */
export function makeProject(type: "module" | "commonjs", tarball: string): ConsumerProject {
  const directory = temporaryFolder(type);
  const write = (file: string, text: string) => writeFileSync(join(directory, file), text);
  write("package.json", JSON.stringify({ name: "consumer", private: true, type }));
  npm(directory, "install", "--offline", "--no-audit", "--no-fund", tarball);
  mkdirSync(join(directory, "types/ambient"), { recursive: true });
  write("types/ambient/index.d.ts", ambient);
  return {
    directory,
    compile: (files) => {
      for (const [file, text] of Object.entries(files)) write(file, text);
      write("tsconfig.json", JSON.stringify({ compilerOptions, files: Object.keys(files) }));
      capture(process.execPath, [compiler, "-p", "."], directory);
    },
    run: (file, ...args) => capture(process.execPath, [join("out", file), ...args], directory),
  };
}

function npm(cwd: string, ...args: string[]): string {
  return capture("npm", args, cwd);
}

function capture(command: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, args, {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    const { stdout, stderr } = Object(error);
    throw new Error(`${command} ${args.join(" ")}\n${stdout}\n${stderr}`);
  }
}
