import { expect, test } from "vitest";
import { dayPlaceOf, shardsOfDay, timeOfPlace } from "../../../shared/orders/day.ts";

const at = Date.parse("2026-11-16T23:59:59.999Z");
const placeOf = (orderNo: string, milliseconds = at) =>
  dayPlaceOf({ kind: "order", merchantId: "M1", orderNo }, milliseconds);

test("an order is in one of the shards of its day, sorted by its time", () => {
  const { dayShard, dayPlace } = placeOf("A");
  expect(shardsOfDay("2026-11-16T00:00:00.000Z")).toContain(dayShard);
  expect(timeOfPlace(dayPlace)).toBe("2026-11-16T23:59:59.999Z");
  expect(placeOf("A", at - 1).dayPlace < dayPlace).toBe(true);
  expect(shardsOfDay("2026-11-16T00:00:00.000Z")).not.toContain(placeOf("A", at + 1).dayShard);
});

test("many orders of one millisecond are in all shards, each with a place of its own", () => {
  const places = Array.from({ length: 500 }, (_item, index) => placeOf(`ORDER-${index}`));
  expect(new Set(places.map(({ dayShard }) => dayShard))).toEqual(
    new Set(shardsOfDay("2026-11-16T12:00:00.000Z")),
  );
  expect(new Set(places.map(({ dayPlace }) => dayPlace)).size).toBe(500);
});
