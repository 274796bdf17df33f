import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The page: one document for every address, one script, one style sheet. */
export interface PageFiles {
  readonly document: string;
  readonly script: string;
  readonly styles: string;
}

const folder = fileURLToPath(new URL("../page/", import.meta.url));

/** Bundled from its sources in a fraction of a second. */
export async function buildPage(): Promise<PageFiles> {
  const [document, { outputFiles }] = await Promise.all([
    readFile(`${folder}index.html`, "utf8"),
    build({
      entryPoints: [`${folder}main.tsx`, `${folder}style/main.css`],
      bundle: true,
      minify: true,
      write: false,
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
  return { document, script: output(".js"), styles: output(".css") };
}
