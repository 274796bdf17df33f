import { readFile } from "node:fs/promises";
import type { PageFiles } from "../../console/server/page-files.ts";

/** The package's folder with the console's page, beside the folder of the command. */
const folder = new URL("../console/", import.meta.url);

/** Replaces the build of the page in the package, which has neither esbuild nor the page's sources. */
export async function buildPage(): Promise<PageFiles> {
  const read = async (name: string) => await readFile(new URL(name, folder), "utf8");
  return {
    document: await read("index.html"),
    script: await read("page.js"),
    styles: await read("page.css"),
  };
}
