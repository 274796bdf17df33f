import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

/**
 * Draws every Mermaid diagram of the documents in a browser, as GitHub does, and fails if one cannot be drawn.
 * `.ci/run` calls it with the folder in which it has installed Mermaid.
 */
const [folder = ""] = process.argv.slice(2);

interface Diagram {
  readonly file: string;
  readonly source: string;
}

function diagramsIn(file: string): Diagram[] {
  const blocks = readFileSync(file, "utf8").matchAll(/^```mermaid\n([\s\S]*?)^```/gm);
  return [...blocks].map(([, source = ""]) => ({ file, source }));
}

const documents = readdirSync("docs", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);
const diagrams = ["README.md", ...documents].flatMap(diagramsIn);

const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
});
const page = await browser.newPage();
const script = `${folder}/node_modules/mermaid/dist/mermaid.min.js`;
await page.goto(pathToFileURL(`${folder}/node_modules/mermaid/package.json`).href);
await page.addScriptTag({ path: script });
let failed = 0;
for (const [index, { file, source }] of diagrams.entries()) {
  try {
    const drawn = await page.evaluate(
      `mermaid.render("d${index}", ${JSON.stringify(source)}).then(({ svg }) => svg.length)`,
    );
    console.log(`${file}: a diagram of ${source.split("\n")[0]}, ${drawn} characters of SVG`);
  } catch (error) {
    failed += 1;
    console.error(`${file}: a diagram cannot be drawn: ${String(error)}`);
  }
}
await browser.close();
process.exitCode = failed === 0 && diagrams.length > 0 ? 0 : 1;
