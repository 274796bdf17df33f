import { expect, test } from "vitest";
import { blocksOf, brokenLinks, markdownFiles } from "./markdown.ts";

test.each(markdownFiles())("%s links only to files and headings that exist", (document) => {
  expect(brokenLinks(document)).toEqual([]);
});

test("a link to a missing file or heading is found", () => {
  const text = "[a](gone.md) [b](runbook.md#gone) [c](runbook.md#inbox) [d](https://e.com/x)";
  expect(brokenLinks("docs/cost.md", text)).toEqual([
    "docs/cost.md: gone.md",
    "docs/cost.md: runbook.md#gone",
  ]);
});

test("a block is found in any fence, in lists and in quotes, with or without a language", () => {
  const text = "```json\n1\n```\n\n   ~~~ JSON title\n   2\n   ~~~\n\n> ```\n> 3\n> ```\n";
  expect(blocksOf("x.md", text).map(({ language }) => language)).toEqual(["json", "JSON", ""]);
});
