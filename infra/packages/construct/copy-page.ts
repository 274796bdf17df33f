import { buildPage } from "../../../console/server/page-files.ts";
import { writeInto } from "./package-files.ts";

/** The console's page, for `npx paycast console`. Gives the files that it is made of. */
export async function copyPage(folder: string): Promise<readonly string[]> {
  const { document, script, styles, inputs } = await buildPage();
  writeInto(folder, "index.html", document);
  writeInto(folder, "page.js", script);
  writeInto(folder, "page.css", styles);
  return inputs;
}
