import { expect, test } from "vitest";
import { withExactSubject } from "../../../shared/facts/exact-fields.ts";

function exactSubject(json: string) {
  return withExactSubject(JSON.parse(json), json);
}

test("an id of an aggregate that is a number keeps all of its digits", () => {
  const json = '{"referOrderNo":12345678901234567891,"paymentId":7,"refundId":8}';
  expect(exactSubject(json)).toEqual({
    referOrderNo: "12345678901234567891",
    paymentId: "7",
    refundId: 8,
  });
});

test("an id of an aggregate that is no whole number is absent", () => {
  expect(exactSubject('{"outOrderNo":1.5}')).toEqual({ outOrderNo: undefined });
});

test.each(["null", "7", '"text"', "[7]", '{"referOrderNo":"A"}'])(
  "a result without such a number stays as it is: %s",
  (json) => {
    const result: unknown = JSON.parse(json);
    expect(withExactSubject(result, json)).toBe(result);
  },
);
