import { describe, expect, test } from "vitest";
import { fillTables } from "../../../infra/contract/markdown-table.ts";

describe("the tables of a page", () => {
  const page = "a\n\n<!-- made table: one -->\n\nold\n\n<!-- end -->\n\nb\n\n<!-- end -->\n";

  test("are put between their marks, and the rest of the page stays", () => {
    expect(fillTables(page, { one: "new" })).toBe(page.replace("old", "new"));
  });

  test("are refused on a page without their marks", () => {
    expect(() => fillTables(page, { two: "new" })).toThrow(/made table: two/);
    expect(() => fillTables("<!-- made table: one -->", { one: "new" })).toThrow(/end/);
  });
});
