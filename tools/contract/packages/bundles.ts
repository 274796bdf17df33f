import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import * as z from "zod";
import { functionNames } from "../../../infra/config/function-names.ts";
import { bundleFunctions, contentOf } from "../../../infra/lambda/bundle.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { buildPage } from "../../console/server/page-files.ts";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Writes every bundle of the package `paycast`, each into its own folder. Returns the source files that contribute to
 * them, relative to the root of the repository.
 */
export async function bundleParts(folder: string): Promise<string[]> {
  const contents = [
    await bundleConstruct(join(folder, "construct")),
    await bundleCommand(join(folder, "cli")),
    await writePage(join(folder, "console")),
    await copyFunctions(join(folder, "functions")),
  ];
  return contents.flat();
}

/**
 * One implementation in CommonJS, like the CDK itself, and a module that exports it for ESM. With two implementations in
 * one app, one would not recognise a construct of the other.
 */
async function bundleConstruct(folder: string): Promise<string[]> {
  const content = await bundleInto({
    entryPoints: { index: beside("construct.ts") },
    outdir: folder,
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    external: ["aws-cdk-lib", "constructs"],
    define: { "import.meta.url": "moduleUrl" },
    banner: { js: 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
  });
  writeInto(folder, "index.js", 'export { Paycast } from "./index.cjs";\n');
  return content;
}

/** `paycast.js` is `npx paycast`. Each command is a separate file, loaded only when it is called. */
async function bundleCommand(folder: string): Promise<string[]> {
  const content = await bundleInto({
    stdin: {
      contents: `import { main } from "./tools/cli/main.ts";
process.exitCode = await main(process.argv.slice(2));`,
      resolveDir: root,
      sourcefile: "paycast.ts",
      loader: "ts",
    },
    outdir: folder,
    entryNames: "paycast",
    chunkNames: "part-[hash]",
    format: "esm",
    splitting: true,
    // As in the functions. The construct keeps its names for the stack traces of other apps.
    minifyIdentifiers: true,
    banner: { js: "#!/usr/bin/env node" },
  });
  chmodSync(join(folder, "paycast.js"), 0o755);
  return content;
}

/** The console's page, for `npx paycast console`. */
async function writePage(folder: string): Promise<string[]> {
  const { document, script, styles, metafile } = await buildPage();
  writeInto(folder, "index.html", document);
  writeInto(folder, "page.js", script);
  writeInto(folder, "page.css", styles);
  return contentOf(metafile);
}

/** The same bundles that this repository deploys. */
async function copyFunctions(folder: string): Promise<string[]> {
  const bundles = await bundleFunctions(functionNames);
  for (const { name, directory } of bundles) {
    cpSync(directory, join(folder, name), { recursive: true });
  }
  return bundles.flatMap(({ content }) => content);
}

export function writeInto(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** What all bundles of the package have in common. */
const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  mainFields: ["module", "main"],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  charset: "utf8",
  metafile: true,
  absWorkingDir: root,
  logLevel: "silent",
} as const satisfies esbuild.BuildOptions;

/** Returns the source files that contribute to the bundle. Throws `bundle-failed`. */
async function bundleInto(
  options: esbuild.BuildOptions & { readonly outdir: string },
): Promise<string[]> {
  try {
    const { metafile } = await esbuild.build({ ...common, plugins: [inPackage], ...options });
    return metafile === undefined ? [] : contentOf(metafile);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PaycastError("bundle-failed", `the package cannot be bundled: ${reason}`, { cause });
  }
}

/** The package contains the built functions and page. Its code needs only name and version of a manifest. */
const inPackage: esbuild.Plugin = {
  name: "in-package",
  setup(build) {
    const instead = (file: string) => () => ({ path: beside(file) });
    build.onResolve({ filter: /\/built-functions\.ts$/ }, instead("shipped-functions.ts"));
    build.onResolve({ filter: /\/page-files\.ts$/ }, instead("shipped-page.ts"));
    build.onLoad({ filter: /\/package\.json$/ }, ({ path }) => {
      const manifest = manifestSchema.parse(JSON.parse(readFileSync(path, "utf8")));
      return { contents: JSON.stringify(manifest), loader: "json" };
    });
  },
};

const manifestSchema = z.object({ name: z.string(), version: z.string() });

function beside(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
