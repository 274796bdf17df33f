import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import {
  asStored,
  fromAttributes,
  itemBytes,
  toAttribute,
  toAttributes,
} from "../../../shared/table/attributes.ts";

const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: "binary" }),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

test("what is stored reads back the same", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), plain.value, { noNullPrototype: true }), (fields) => {
      expect(fromAttributes(toAttributes(fields))).toEqual(fields);
    }),
  );
});

test("what is undefined is left out, and so is an empty set, which DynamoDB refuses", () => {
  const fields = { a: undefined, b: new Set<string>(), c: new Set(["x"]), d: "" };
  expect(toAttributes(fields)).toEqual({ c: { SS: ["x"] }, d: { S: "" } });
});

test.each([0.1, Number.NaN, 2 ** 53, null, undefined, 1n, () => 1])(
  "%s is refused, for it would not come back the same",
  (value) => {
    expect(() => toAttribute(value)).toThrow(TypeError);
  },
);

test("a type that Paycast does not write reads as nothing", () => {
  expect(fromAttributes({ a: { NULL: true }, b: { N: "7" } })).toEqual({ a: undefined, b: 7 });
});

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

const orderLike = z.object({
  no: z.string(),
  amount: z.optional(z.object({ value: z.string(), currency: z.string() })),
  refunds: z.record(z.string(), z.object({ id: z.string(), status: z.string() })),
  attempts: z.array(z.object({ at: z.int(), reason: z.optional(z.string()) })),
});

test("an item reads in its schema's order, with every unknown field behind, at any depth", () => {
  const stored = {
    newer: { b: 1 },
    attempts: [{ newer: true, reason: "r", at: 1 }],
    refunds: { r2: { status: "s", newer: 1, id: "r2" } },
    amount: { newer: "x", currency: "EUR", value: "1.00" },
    no: "1",
  };
  const read = asStored(orderLike, stored);
  expect(read).toEqual(stored);
  expect(JSON.stringify(read)).toBe(
    '{"no":"1","amount":{"value":"1.00","currency":"EUR","newer":"x"},' +
      '"refunds":{"r2":{"id":"r2","status":"s","newer":1}},' +
      '"attempts":[{"at":1,"reason":"r","newer":true}],"newer":{"b":1}}',
  );
});

test("a refund whose id is a name of JavaScript's own is read, too", () => {
  const refunds = JSON.parse(
    '{"__proto__":{"id":"__proto__","status":"s"},"constructor":{"id":"c","status":"s"}}',
  );
  const read = asStored(orderLike, { no: "1", refunds, attempts: [] });
  expect(Object.keys(read.refunds).sort()).toEqual(["__proto__", "constructor"]);
  expect(JSON.stringify(read.refunds)).toContain('"__proto__":{"id":"__proto__","status":"s"}');
});

test("an item with an invalid field is not read", () => {
  expect(() => asStored(orderLike, { no: 1, refunds: {}, attempts: [] })).toThrow();
});
