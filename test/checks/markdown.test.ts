import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import {
  blocksOf,
  brokenLinks,
  generatedDocuments,
  longLines,
  markdownFiles,
  missingFiles,
} from "./markdown.ts";
import { projectFiles } from "./project-files.ts";

test.each(markdownFiles())("%s links only to files and headings that exist", (document) => {
  expect(brokenLinks(document)).toEqual([]);
});

const edited = markdownFiles().filter((document) => !generatedDocuments.includes(document));

test.each(edited)("%s has lines that fit an editor", (document) => {
  expect(longLines(document)).toEqual([]);
});

test("a line that is too long is found, except in tables, tags and code", () => {
  const long = "word ".repeat(30);
  const text = `${long}\n| ${long}|\n<img alt="${long}">\n~~~\n${long}\n~~~\nshort\n- ${long}\n`;
  expect(longLines("x.md", text)).toEqual(["x.md:1", "x.md:8"]);
});

test("a link to a missing file or heading is found", () => {
  const text = "[a](gone.md) [b](runbook.md#gone) [c](runbook.md#inbox) [d](https://e.com/x)";
  expect(brokenLinks("docs/cost.md", text)).toEqual([
    "docs/cost.md: gone.md",
    "docs/cost.md: runbook.md#gone",
  ]);
});

test("docs/README.md leads to every document", () => {
  const map = readFileSync("docs/README.md", "utf8");
  const documents = markdownFiles().filter((file) => /^docs\/[\w-]+\.md$/.test(file));
  const others = documents.filter((file) => file !== "docs/README.md");
  expect(others.filter((file) => !map.includes(`](${basename(file)})`))).toEqual([]);
});

test("every source file that a document names exists", () => {
  const files = projectFiles();
  const missing = (document: string) => missingFiles(document, undefined, files);
  expect(markdownFiles().flatMap(missing)).toEqual([]);
});

test("every test that an invariant of the architecture names exists", () => {
  const invariants = readFileSync("docs/architecture.md", "utf8").matchAll(
    /^\| \d+ \|.*\|(.+)\|$/gm,
  );
  const names = [...invariants].flatMap(
    ([, cell = ""]) => cell.match(/(?<=`)[\w/.-]+(?=`)/g) ?? [],
  );
  const tests = projectFiles().filter((file) => file.startsWith("test/"));
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !tests.some((file) => file.includes(`/${name}`)))).toEqual([]);
});

test("a name without a file is found, a name with a part of its path is not", () => {
  const text = "`gone.ts`, `orders/due.ts`, `due.ts` and `ue.ts`";
  expect(missingFiles("docs/cost.md", text)).toEqual([
    "docs/cost.md: gone.ts",
    "docs/cost.md: ue.ts",
  ]);
});

test("a block is found in any fence, in lists and in quotes, with or without a language", () => {
  const text = "```json\n1\n```\n\n   ~~~ JSON title\n   2\n   ~~~\n\n> ```\n> 3\n> ```\n";
  expect(blocksOf("x.md", text).map(({ language }) => language)).toEqual(["json", "JSON", ""]);
});
