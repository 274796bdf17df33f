import { describe, expect, test } from "vitest";
import * as z from "zod";
import { operatingDocument } from "../../../tools/cli/write-operating.ts";
import { describedSchemas } from "../../../tools/contract/documents/json-schema.ts";
import { table } from "../../../tools/contract/documents/markdown-table.ts";
import { refuseHoles } from "../../../tools/contract/documents/refuse-holes.ts";

/** What reaches the documents if a table has no row: `npm run docs` does not compile. */
const missing = undefined as unknown as string;

const refused = (message: string) =>
  expect.objectContaining({ code: "local-text-missing", message });

describe("instead of a document with a hole", () => {
  test("a missing cell of a table is an error that names the row", () => {
    expect(() => table(["kind", "meaning"], [["lost", missing]])).toThrow(
      refused('The table row of lost would contain "undefined": a text is missing.'),
    );
    expect(table(["kind", "note"], [["lost", ""]])).toContain("| lost |  |");
  });

  test("a field without a description is an error that names the field", () => {
    const named = { Parcel: z.object({ weight: z.string() }) };
    expect(() => describedSchemas(named, "#/", { Parcel: {} })).toThrow(
      refused("Parcel.weight has no description."),
    );
  });

  test.each([
    ["undefined", `### payment.order.lost\n\n${missing}`],
    ["null", JSON.stringify({ example: null })],
    ["NaN", `${Number("x")} days`],
    ["[object Object]", `The default is ${{}}.`],
  ])("%s in a text is an error that names the document", (found, text) => {
    expect(() => refuseHoles("docs/a.md", text)).toThrow(
      refused(`docs/a.md would contain "${found}": a text is missing.`),
    );
  });
});

test("a word that only contains one of these is a text", () => {
  expect(() =>
    refuseHoles("docs/a.md", "An annulled object, nullable, undefinedness"),
  ).not.toThrow();
});

test("no help in docs/operating.md has a hole", async () => {
  const written = (await operatingDocument()).matchAll(/<!-- help: (.+?) -->(.+?)<!-- end -->/gs);
  const helps = [...written].map(([, name = "", help = ""]) => [name, help] as const);
  expect(helps.length).toBeGreaterThan(10);
  for (const [name, help] of helps) refuseHoles(name, help);
});
