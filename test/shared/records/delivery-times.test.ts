import { describe, expect, test } from "vitest";
import { deliveryMarks, deliveryTime } from "../../../shared/records/delivery-times.ts";

const at = "2026-11-15T00:00:01.000Z";
const later = "2026-11-15T00:00:02.000Z";
const subscribers = ["books", "stock"];

describe("the marks of a delivery", () => {
  test("are its time alone if it is the first and reached every subscriber", () => {
    expect([...deliveryMarks({}, { subscribers, at, isComplete: true })]).toEqual([at]);
  });

  test.each([
    ["subscribers are still pending", undefined, false],
    ["an earlier delivery reached others", [`${later} tax`], true],
  ])("name each subscriber if %s", (_case, deliveredAt, isComplete) => {
    const marks = deliveryMarks({ deliveredAt }, { subscribers, at, isComplete });
    expect([...marks]).toEqual([`${at} books`, `${at} stock`]);
  });
});

describe("the delivery time of a subscriber", () => {
  test("is its own, before the time that counts for all", () => {
    const deliveredAt = [at, `${later} stock`];
    expect(deliveryTime({ deliveredAt }, "stock")).toBe(later);
    expect(deliveryTime({ deliveredAt }, "books")).toBe(at);
  });

  test.each([
    ["nobody received the event", undefined],
    ["only others received it", [`${at} books`]],
  ])("is unknown if %s", (_case, deliveredAt) => {
    expect(deliveryTime({ deliveredAt }, "stock")).toBeUndefined();
  });
});
