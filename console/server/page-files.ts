import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The page: one document for every address, one script, one style sheet. */
export interface PageFiles {
  readonly document: string;
  readonly script: string;
  readonly styles: string;
}

interface BuiltPage extends PageFiles {
  /** The files that it is made of, from the root of the repository. */
  readonly inputs: readonly string[];
}

const folder = fileURLToPath(new URL("../page/", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Bundled from its sources in a fraction of a second. The package `paycast` has it already built. */
export async function buildPage(): Promise<BuiltPage> {
  const [document, { outputFiles, metafile }] = await Promise.all([
    readFile(`${folder}index.html`, "utf8"),
    build({
      entryPoints: [`${folder}main.tsx`, `${folder}style/main.css`],
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      absWorkingDir: root,
      outdir: folder,
      format: "esm",
      target: "es2022",
      jsx: "automatic",
      jsxImportSource: "preact",
      logLevel: "silent",
    }),
  ]);
  const output = (ending: string) =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  const inputs = Object.keys(metafile.inputs);
  return { document, script: output(".js"), styles: output(".css"), inputs };
}
