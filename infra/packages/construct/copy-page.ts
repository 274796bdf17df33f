import { buildPage } from "../../../console/server/page-files.ts";
import { contentOf } from "../../lambda/bundle-content.ts";
import { writeInto } from "./package-files.ts";

/** The console's page, for `npx paycast console`. Gives the files of which something is in it. */
export async function copyPage(folder: string): Promise<string[]> {
  const { document, script, styles, metafile } = await buildPage();
  writeInto(folder, "index.html", document);
  writeInto(folder, "page.js", script);
  writeInto(folder, "page.css", styles);
  return contentOf(metafile);
}
