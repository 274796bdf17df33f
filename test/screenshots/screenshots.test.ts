import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hasBrowser, openBrowser } from "../setup/browser.ts";
import { sourceHash, takePictures } from "./pictures.ts";
import { playScene } from "./scene.ts";

const images = new URL("../../docs/images/", import.meta.url);
const summary = JSON.parse(readFileSync(new URL("console.json", images), "utf8"));
const again = "The pictures of the console are old. Make them again: npm run proof -- screenshots";

test("the committed pictures are those that the script made from the page as it is", () => {
  expect(summary.sources, again).toBe(sourceHash());
  for (const [file, { sha256 }] of Object.entries<{ sha256: string }>(summary.pictures)) {
    const png = readFileSync(new URL(file, images));
    expect(createHash("sha256").update(png).digest("hex"), file).toBe(sha256);
  }
});

test("every picture of the documents exists in light and dark, and is shown", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const shown = [...readme.matchAll(/docs\/images\/(console-[\w-]+\.png)/g)].map(
    ([, file]) => file,
  );
  expect(new Set(shown)).toEqual(new Set(Object.keys(summary.pictures)));
});

test("the README tells of the order in the picture what its page shows", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const [, alt = ""] = /alt="([^"]*)" src="docs\/images\/console-order/.exec(readme) ?? [];
  const { outline } = summary.pictures["console-order-light.png"];
  const rejected = outline.filter((line: string) => line.includes("Callback rejected")).length;
  const refunds = outline.filter((line: string) => /Callback: payment\.refund/.test(line)).length;
  const inWords = ["no", "one", "two", "three", "four", "five", "six"];
  expect(alt).toContain(`${inWords[rejected]} callbacks rejected`);
  expect(/refund/i.test(alt)).toBe(refunds > 0);
});

describe.runIf(hasBrowser("the screenshots of the README"))("the scene of the pictures", () => {
  test("the pages say what the pictures show", async () => {
    const [browser, stack] = await Promise.all([openBrowser(), playScene()]);
    try {
      const pictures = await takePictures(browser, stack.description.console);
      for (const { file, outline } of pictures) {
        expect(outline.split("\n"), `${file}: ${again}`).toEqual(summary.pictures[file].outline);
      }
    } finally {
      await browser.close();
      await stack.stop();
    }
  });
});
