import { describe, expect, test } from "vitest";
import {
  matchesPattern,
  parseFilterPattern,
} from "../../../../tools/local/alarms/filter-pattern.ts";

const line = { route: "POST /callbacks", status: "503", functionStatus: "-" };
const matches = (pattern: string) => matchesPattern(parseFilterPattern(pattern), line);

test.each([
  ['{ $.status = "503" }', true],
  ['{ $.status = "50" }', false],
  ['{ $.status = "5*" }', true],
  ['{ $.status = "4*" }', false],
  ['{ $.status != "4*" }', true],
  ['{ $.status != "5*" }', false],
  ['{ $.route = "post /callbacks" }', false],
  ['{ ($.route = "POST /callbacks") && ($.status = "5*") }', true],
  ['{ ($.route = "POST /orders") || ($.status = "5*") }', true],
  ['{ ($.route = "POST /orders") && ($.status = "5*") }', false],
  // Documented: && binds more closely than ||.
  ['{ $.status = "503" || $.status = "500" && $.route = "POST /orders" }', true],
  ['{ ($.status = "503" || $.status = "500") && $.route = "POST /orders" }', false],
  // Documented: a field that is not there matches no condition.
  ['{ $.misspelt = "503" }', false],
  ['{ $.misspelt != "503" }', false],
])("%s is %s of the line", (pattern, isMatch) => {
  expect(matches(pattern)).toBe(isMatch);
});

describe("what the template does not use is refused", () => {
  test.each([
    "",
    "{}",
    "ERROR",
    '"POST /callbacks"',
    '[ip, status = "5*"]',
    "{ $.status = 503 }",
    "{ $.status = 5* }",
    '{ $.status > "499" }',
    "{ $.status >= 500 }",
    '{ $.status = "*03" }',
    '{ $.status = "5*3" }',
    "{ $.status = %5..% }",
    "{ $.status IS NULL }",
    "{ $.status NOT EXISTS }",
    '{ $.error.type = "a" }',
    '{ $.list[0] = "a" }',
    "{ $.['cluster.name'] = \"a\" }",
    '{ $.* = "a" }',
    '{ status = "503" }',
    '{ $.status = "a\\"b" }',
    '{ ($.status = "503" }',
    '{ $.status = "503" } }',
    '{ $.status = "503" && }',
    '{ $.status = "503" $.route = "a" }',
  ])("%s", (pattern) => {
    expect(() => parseFilterPattern(pattern)).toThrow(/cannot evaluate the filter pattern/);
  });
});
