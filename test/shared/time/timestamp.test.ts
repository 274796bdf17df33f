import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";

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
