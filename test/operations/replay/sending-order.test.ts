import fc from "fast-check";
import { expect, test } from "vitest";
import { inSendingOrder } from "../../../operations/replay/sending-order.ts";
import type { EventEntry } from "../../../operations/replay/stored-event.ts";

const entry = (group: string, sequence: number, second: number): EventEntry => ({
  callbackKey: `${group} ${sequence}`,
  receipt: "first",
  group,
  sequence,
  type: "payment.order.success",
  merchantId: "shop-1",
  recordedAt: new Date(second * 1000).toISOString(),
});

const namesOf = (entries: readonly EventEntry[]) => entries.map(({ callbackKey }) => callbackKey);

test("events go by time, whatever the order in which they were found", () => {
  const found = [entry("b", 1, 3), entry("a", 2, 2), entry("a", 1, 1), entry("c", 1, 2)];
  expect(namesOf(inSendingOrder(found))).toEqual(["a 1", "a 2", "c 1", "b 1"]);
});

test("a time that goes back waits for the events before it, and other groups do not", () => {
  const found = [entry("a", 1, 9), entry("a", 2, 1), entry("b", 1, 5), entry("a", 3, 10)];
  expect(namesOf(inSendingOrder(found))).toEqual(["b 1", "a 1", "a 2", "a 3"]);
});

test("with any clocks nothing is lost, and the sequences of a group only rise", () => {
  const someEntry = fc.record({
    group: fc.constantFrom("a", "b", "c"),
    sequence: fc.integer({ min: 1, max: 40 }),
    second: fc.integer({ min: 0, max: 20 }),
  });
  const unique = {
    selector: (one: { group: string; sequence: number }) => `${one.group} ${one.sequence}`,
  };
  fc.assert(
    fc.property(fc.uniqueArray(someEntry, unique), (drawn) => {
      const found = drawn.map(({ group, sequence, second }) => entry(group, sequence, second));
      const ordered = inSendingOrder(found);
      expect(new Set(ordered)).toEqual(new Set(found));
      for (const group of ["a", "b", "c"]) {
        const own = ordered.filter((one) => one.group === group).map(({ sequence }) => sequence);
        expect(own).toEqual([...own].sort((one, other) => one - other));
      }
    }),
  );
});
