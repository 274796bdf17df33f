import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { describeIssues } from "../../../shared/describe-issues.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { timestampSchema, toRfc3339 } from "../../../shared/time/timestamp.ts";

describe("timestampSchema", () => {
  test("reads 13 digits as number and as string alike", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000_000_000_000, max: 9_999_999_999_999 }),
        (milliseconds) => {
          expect(timestampSchema.parse(milliseconds)).toBe(milliseconds);
          expect(timestampSchema.parse(String(milliseconds))).toBe(milliseconds);
        },
      ),
    );
  });

  test.each([
    999_999_999_999,
    10_000_000_000_000,
    1_700_000_000_000.5,
    -1_700_000_000_000,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "999999999999",
    "10000000000000",
    "0123456789012",
    "1700000000000.0",
    "-1700000000000",
    "+1700000000000",
    " 1700000000000",
    "1700000000000\n",
    "1.70000000e12",
    "2026-11-15T01:22:45Z",
    "",
    null,
    undefined,
    true,
    1_700_000_000_000n,
    [1_700_000_000_000],
    new Date(1_700_000_000_000),
  ])("refuses %o", (input) => {
    expect(timestampSchema.safeParse(input).success).toBe(false);
  });

  test.each([
    [17, "timestamp must be 13 digits, milliseconds since 1970"],
    [17_000_000_000_000, "timestamp must be 13 digits, milliseconds since 1970"],
    ["17", "timestamp must be 13 digits, milliseconds since 1970"],
    [null, "timestamp must be 13 digits, milliseconds since 1970"],
  ])("of %j says what it wants instead", (timestamp, sentence) => {
    const result = z.object({ timestamp: timestampSchema }).safeParse({ timestamp });
    expect(result.error && describeIssues(result.error)).toBe(sentence);
  });
});

describe("toRfc3339", () => {
  test.each([
    [0, "1970-01-01T00:00:00.000Z"],
    [1_700_000_000_123, "2023-11-14T22:13:20.123Z"],
    [253_402_300_799_999, "9999-12-31T23:59:59.999Z"],
  ])("writes %i as %s", (milliseconds, text) => {
    expect(toRfc3339(milliseconds)).toBe(text);
  });

  test("writes any time so that it is read back to the millisecond", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (milliseconds) => {
        const text = toRfc3339(milliseconds);
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(Date.parse(text)).toBe(milliseconds);
      }),
    );
  });

  test.each([-1, 253_402_300_800_000, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
    "refuses %d",
    (milliseconds) => {
      expect(() => toRfc3339(milliseconds)).toThrow(PaycastError);
    },
  );
});
