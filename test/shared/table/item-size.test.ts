import { expect, test } from "vitest";
import { itemBytes } from "../../../shared/table/attributes.ts";

/** By the rules of DynamoDB's documentation: names and texts in UTF-8, 3 bytes for a map or list and 1 for each entry. */
test.each([
  ["a text", { name: "abc" }, 7],
  ["a text of several bytes", { n: "é€" }, 6],
  ["a set", { set: new Set(["ab", "c"]) }, 6],
  ["a list", { list: ["ab", "c"] }, 4 + 3 + 2 + 3],
  ["a map", { map: { a: "b" } }, 3 + 3 + 1 + 2],
  ["a truth", { is: true }, 3],
])("%s has the size that DynamoDB counts", (_name, item, bytes) => {
  expect(itemBytes(item)).toBe(bytes);
});

test("a number is never counted too small, and undefined fields do not count", () => {
  expect(itemBytes({ n: 1_234_567, none: undefined })).toBeGreaterThanOrEqual(1 + 1 + 4);
});
