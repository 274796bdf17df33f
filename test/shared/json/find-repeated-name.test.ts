import { expect, test } from "vitest";
import { findRepeatedName } from "../../../shared/json/find-repeated-name.ts";

test.each([
  ["side by side", '{"a":1,"a":2}', "a"],
  ["in an object inside", '{"x":[{"a":1,"b":2,"a":3}]}', "a"],
  ["around an object", '{"a":{"b":1}, "a" : 2}', "a"],
  ["spelled in two ways", '{"a":1,"\\u0061":2}', "a"],
  ["with a quote in it", '{"a\\"":1,"a\\"":2}', 'a"'],
  ["that JavaScript uses itself", '{"__proto__":1,"__proto__":2}', "__proto__"],
])("a name that comes twice is found: %s", (_case, json, name) => {
  expect(findRepeatedName(json)).toBe(name);
});

test.each([
  ["in two objects", '[{"a":1},{"a":2}]'],
  ["inside and outside", '{"a":{"a":{"a":1}}}'],
  ["as a value", '{"a":"a","b":"a"}'],
  ["inside a text", '{"a":"{\\"a\\":1,\\"a\\":2}","b":"}","c":"\\\\"}'],
  ["in a list", '{"a":["a","a"]}'],
])("the same name may come %s", (_case, json) => {
  expect(findRepeatedName(json)).toBeUndefined();
});

test.each([
  ["a text without an end", `{"a":"${"x".repeat(100_000)}`],
  ["many escapes", `{"a":"${"\\n".repeat(1_000_000)}"}`],
  ["a deep object", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
  ["much space", `["a"${" ".repeat(1_000_000)}]`],
])("%s takes no more time than its length", (_case, json) => {
  expect(findRepeatedName(json)).toBeUndefined();
});
