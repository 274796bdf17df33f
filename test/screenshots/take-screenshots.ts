import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hasBrowser, openBrowser } from "../setup/browser.ts";
import { readOptions } from "../setup/read-options.ts";
import { sourceHash, takePictures } from "./pictures.ts";
import { playScene } from "./scene.ts";

const images = new URL("../../docs/images/", import.meta.url);

const help = `npm run proof -- screenshots

Makes the pictures of the console in docs/images again. Needs Chromium.
`;

/** `npm run proof -- screenshots`. */
readOptions(help, {});
if (!hasBrowser("the screenshots")) process.exit(1);
const [browser, stack] = await Promise.all([openBrowser(), playScene()]);
try {
  const pictures = await takePictures(browser, stack.description.console);
  for (const { file, png } of pictures) writeFileSync(new URL(file, images), png);
  const described = pictures.map(({ file, png, outline }) => {
    const sha256 = createHash("sha256").update(png).digest("hex");
    return [file, { sha256, outline: outline.split("\n") }] as const;
  });
  const summary = { sources: sourceHash(), pictures: Object.fromEntries(described) };
  const file = new URL("console.json", images);
  writeFileSync(file, `${JSON.stringify(summary, null, 2)}\n`);
  console.log(`${pictures.length} pictures in ${fileURLToPath(images)}`);
} finally {
  await browser.close();
  await stack.stop();
}
