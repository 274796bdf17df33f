import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";

/** The page: one document for every address, one script, one style sheet. */
export interface PageFiles {
  readonly document: string;
  readonly script: string;
  readonly styles: string;
}

interface BuiltPage extends PageFiles {
  /** Its sources, relative to the root of the repository. */
  readonly metafile: Metafile;
}

const folder = fileURLToPath(new URL("../page/", import.meta.url));
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Bundles the page from its sources in a fraction of a second. The package `paycast` contains it prebuilt. */
export async function buildPage(): Promise<BuiltPage> {
  const [document, { outputFiles, metafile }] = await Promise.all([
    readFile(`${folder}index.html`, "utf8"),
    build({
      entryPoints: [`${folder}app.tsx`, `${folder}style/main.css`],
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
  return { document, script: output(".js"), styles: output(".css"), metafile };
}
