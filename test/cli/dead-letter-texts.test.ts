import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agoText, timeText } from "../../cli/frame/time-text.ts";
import { indentJson } from "../../shared/indent-json.ts";

describe("indented JSON", () => {
  test("is what JSON.stringify writes, for any value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  test("keeps every digit, every repeated name and every escape", () => {
    expect(indentJson(' {"a" : 1.10, "a":1e400 ,"b":"{\\"\\u202e"}')).toBe(
      '{\n  "a": 1.10,\n  "a": 1e400,\n  "b": "{\\"\\u202e"\n}',
    );
  });

  test.each(["", "status=success", '{"a":', "{]"])("%j is not JSON", (text) => {
    expect(indentJson(text)).toBeUndefined();
  });
});

test.each([
  [59, "59 s ago"],
  [61, "1 min ago"],
  [3_600, "1 h ago"],
  [172_799, "47 h ago"],
  [172_800, "2 days ago"],
  [-5, "0 s ago"],
  [-7 * 86_400, "in 7 days"],
])("%i seconds are %s", (seconds, text) => {
  const now = Date.parse("2026-11-15T12:00:00Z");
  const then = new Date(now - seconds * 1000).toISOString();
  expect(agoText(then, now)).toBe(text);
  expect(timeText(then, now)).toBe(`${then.slice(0, 19)}Z (${text})`);
});
