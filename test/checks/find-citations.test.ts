import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { citedSections, unknownCitations } from "./find-citations.ts";

test("every section of the interface that is cited stands in docs/interface.md", () => {
  expect(unknownCitations()).toEqual([]);
});

test("a section that does not stand there is named with its file", () => {
  const folder = mkdtempSync(join(tmpdir(), "citations-"));
  try {
    const file = join(folder, "code.ts");
    writeFileSync(file, "// see §2.11, §6 and §9.9");
    expect(unknownCitations([file])).toEqual([
      `${file} cites §9.9, which docs/interface.md does not have.`,
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("citations are found wherever they stand", () => {
  expect(citedSections("(§2.3 to §2.6), §4")).toEqual(["2.3", "2.6", "4"]);
});
