import { describe, expect, test } from "vitest";
import { groupWithoutSubject } from "../../../shared/facts/subject.ts";
import { callbackKeyOf, firstGroupOf, readCallbackKey } from "../../../shared/records/receipt.ts";

describe("the key of a record", () => {
  test.each(["callback", "query"] as const)("of a %s is read as it was written", (origin) => {
    const key = "a#b\nc";
    const written = callbackKeyOf({
      merchantId: "M1",
      origin,
      deduplication: { key, replayable: false },
    });
    expect(readCallbackKey(written)).toEqual({ merchantId: "M1", origin, key });
  });

  test.each(["M1", "M1#callback", "M1#other#c1", "#notice#M1#order#A"])(
    "is not any text: %s",
    (text) => {
      expect(readCallbackKey(text)).toBeUndefined();
      expect(firstGroupOf(text)).toBeUndefined();
    },
  );
});

test("only a callback may have arrived without an aggregate", () => {
  expect(firstGroupOf("M1#callback#c1")).toBe(groupWithoutSubject("M1", "c1"));
  expect(firstGroupOf("M1#query#c1")).toBeUndefined();
});
