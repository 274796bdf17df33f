import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { describeIssues } from "../../../shared/errors/describe-issues.ts";
import { readTime, timeSchema } from "../../../shared/time/read-time.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";

const anyMillisecond = fc.integer({ min: 1_000_000_000_000, max: 9_999_999_999_999 });
const anySecond = fc.integer({ min: 1_000_000_000, max: 9_999_999_999 });

describe("a time", () => {
  test("of 13 digits is milliseconds, as number and as text", () => {
    fc.assert(
      fc.property(anyMillisecond, (milliseconds) => {
        const time = { milliseconds, isWholeSecond: false };
        expect(readTime(milliseconds)).toEqual(time);
        expect(readTime(String(milliseconds))).toEqual(time);
      }),
    );
  });

  test("of 10 digits is seconds, as number and as text", () => {
    fc.assert(
      fc.property(anySecond, (seconds) => {
        const time = { milliseconds: seconds * 1_000, isWholeSecond: true };
        expect(readTime(seconds)).toEqual(time);
        expect(readTime(String(seconds))).toEqual(time);
      }),
    );
  });

  test("that we write ourselves is read back", () => {
    fc.assert(
      fc.property(anyMillisecond, (milliseconds) => {
        const time = { milliseconds, isWholeSecond: false };
        expect(readTime(toRfc3339(milliseconds))).toEqual(time);
      }),
    );
  });

  /** The numbers are those of GNU `date -u -d TIME +%s%3N` and Python's `datetime.fromisoformat`. */
  test.each([
    ["2026-11-15T01:22:45Z", 1_794_705_765_000, true],
    ["2026-11-15t01:22:45z", 1_794_705_765_000, true],
    ["2026-11-15T01:22:45-00:00", 1_794_705_765_000, true],
    ["2026-11-15T10:22:45+09:00", 1_794_705_765_000, true],
    ["2024-02-29T23:59:59+23:59", 1_709_164_859_000, true],
    ["2001-09-09T01:46:40Z", 1_000_000_000_000, true],
    ["2026-11-15T01:22:45.123Z", 1_794_705_765_123, false],
    ["2026-11-15T01:22:45.000Z", 1_794_705_765_000, false],
    ["2026-11-15T01:22:45.5Z", 1_794_705_765_500, false],
    ["2026-11-15T01:22:45.07+00:00", 1_794_705_765_070, false],
    ["2026-11-15T01:22:45.123456789Z", 1_794_705_765_123, false],
    ["2026-11-15T01:22:45.1239999999999999999999Z", 1_794_705_765_123, false],
    ["2026-11-15T01:22:45.000000001Z", 1_794_705_765_000, false],
    ["2026-11-14T17:52:45.999-07:30", 1_794_705_765_999, false],
    ["2024-03-01T00:00:00.001-23:59", 1_709_337_540_001, false],
    ["2286-11-20T17:46:39.999Z", 9_999_999_999_999, false],
  ])("of RFC 3339 is read: %s", (text, milliseconds, isWholeSecond) => {
    expect(readTime(text)).toEqual({ milliseconds, isWholeSecond });
  });

  /** Python: `calendar.timegm(time.strptime("2016-12-31T23:59:60", "%Y-%m-%dT%H:%M:%S"))`. */
  test.each(["2016-12-31T23:59:60Z", "2016-12-31T15:59:60-08:00", "2017-01-01T05:29:60+05:30"])(
    "in a leap second is the second after it: %s",
    (text) => {
      expect(readTime(text)).toEqual({ milliseconds: 1_483_228_800_000, isWholeSecond: true });
    },
  );

  test.each([
    ["a day that does not exist", "2026-02-30T00:00:00Z"],
    ["29 February of another year", "2025-02-29T00:00:00Z"],
    ["29 February of 2100", "2100-02-29T00:00:00Z"],
    ["day 0", "2026-11-00T00:00:00Z"],
    ["31 November", "2026-11-31T00:00:00Z"],
    ["month 0", "2026-00-15T00:00:00Z"],
    ["month 13", "2026-13-15T00:00:00Z"],
    ["24 o'clock", "2026-11-15T24:00:00Z"],
    ["minute 60", "2026-11-15T01:60:00Z"],
    ["second 61", "2016-12-31T23:59:61Z"],
    ["second 60 in the middle of a month", "2016-12-30T23:59:60Z"],
    ["second 60 at another hour", "2017-01-01T23:59:60+01:00"],
    ["second 60 at another minute", "2016-12-31T23:58:60Z"],
    ["no offset", "2026-11-15T01:22:45"],
    ["an offset without a colon", "2026-11-15T01:22:45+0100"],
    ["an offset without minutes", "2026-11-15T01:22:45+01"],
    ["an offset of 24 hours", "2026-11-15T01:22:45+24:00"],
    ["an offset of 60 minutes", "2026-11-15T01:22:45+01:60"],
    ["a zone's name", "2026-11-15T01:22:45 UTC"],
    ["a space for the T", "2026-11-15 01:22:45Z"],
    ["a comma", "2026-11-15T01:22:45,123Z"],
    ["a point without digits", "2026-11-15T01:22:45.Z"],
    ["no seconds", "2026-11-15T01:22Z"],
    ["a date alone", "2026-11-15"],
    ["a year of two digits", "26-11-15T01:22:45Z"],
    ["a sign before the year", "+2026-11-15T01:22:45Z"],
    ["a line break after it", "2026-11-15T01:22:45Z\n"],
    ["a space before it", " 2026-11-15T01:22:45Z"],
    ["digits of another script", "２０２６-11-15T01:22:45Z"],
    ["a time before 13 digits", "2001-09-09T01:46:39.999Z"],
    ["a time after 13 digits", "2286-11-20T17:46:40Z"],
    ["the zero of some languages", "0001-01-01T00:00:00Z"],
    ["9 digits", 999_999_999],
    ["11 digits", 10_000_000_000],
    ["12 digits", 999_999_999_999],
    ["14 digits", 10_000_000_000_000],
    ["14 digits of text", "10000000000000"],
    ["9 digits of text", "999999999"],
    ["a leading zero", "0123456789012"],
    ["seconds with a fraction", 1_700_000_000.5],
    ["text of seconds with a fraction", "1700000000.5"],
    ["milliseconds with a fraction", 1_700_000_000_000.5],
    ["a negative number", -1_700_000_000_000],
    ["a sign", "+1700000000000"],
    ["an exponent", "1.7e12"],
    ["not a number", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["empty text", ""],
    ["null", null],
    ["undefined", undefined],
    ["a boolean", true],
    ["a bigint", 1_700_000_000_000n],
    ["a list", [1_700_000_000_000]],
    ["a date object", new Date(1_700_000_000_000)],
  ])("is not read from %s", (_case, value) => {
    expect(readTime(value)).toBeUndefined();
    expect(timeSchema.safeParse(value).success).toBe(false);
  });
});

describe("timeSchema", () => {
  const fields = z.object({ paymentTime: timeSchema });

  test("gives milliseconds, whatever the form", () => {
    for (const paymentTime of [1_794_705_765_000, 1_794_705_765, "2026-11-15T01:22:45Z"]) {
      expect(fields.parse({ paymentTime })).toEqual({ paymentTime: 1_794_705_765_000 });
    }
  });

  test.each([17, "tomorrow", null])("says what it wants instead of %j", (paymentTime) => {
    const result = fields.safeParse({ paymentTime });
    expect(result.error && describeIssues(result.error)).toBe(
      "paymentTime must be a time: milliseconds (13 digits) or seconds (10 digits) since 1970, or RFC 3339 with an offset",
    );
  });
});
