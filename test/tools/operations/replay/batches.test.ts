import fc from "fast-check";
import { expect, test } from "vitest";
import type { EventEntry, StoredEvent } from "../../../../tools/operations/records/read-records.ts";
import { inSendingOrder } from "../../../../tools/operations/replay/events-in-order.ts";
import { batchesOf, createPacer } from "../../../../tools/operations/replay/send-batch.ts";

const entry = (group: string, sequence: number, second: number): EventEntry => ({
  callbackKey: `${group} ${sequence}`,
  receipt: "first",
  group,
  sequence,
  type: "payment.order.success",
  merchantId: "shop-1",
  recordedAt: new Date(second * 1000).toISOString(),
});

const eventOf = (group: string, bytes = 10): StoredEvent => {
  return { ...entry(group, 1, 0), factId: "fact", event: "x".repeat(bytes), pending: [] };
};

const groupsOf = (events: readonly StoredEvent[], ordered = true, rate?: number) =>
  batchesOf(events, ordered, rate).map((batch) => batch.map(({ group }) => group).join(""));

test("nothing makes no batch", () => {
  expect(batchesOf([], true)).toEqual([]);
});

test("a batch has at most ten events, and fewer at a low rate", () => {
  const events = [..."abcdefghijkl"].map((group) => eventOf(group));
  expect(groupsOf(events)).toEqual(["abcdefghij", "kl"]);
  expect(groupsOf(events, true, 4)).toEqual(["abcd", "efgh", "ijkl"]);
});

test("a group that comes again begins a new batch, on an ordered queue only", () => {
  const events = [..."abacc"].map((group) => eventOf(group));
  expect(groupsOf(events)).toEqual(["ab", "ac", "c"]);
  expect(groupsOf(events, false)).toEqual(["abacc"]);
});

test("a batch stays below the mebibyte that SQS takes, and one large event goes alone", () => {
  const events = [eventOf("a", 400_000), eventOf("b", 400_000), eventOf("c", 400_000)];
  expect(groupsOf(events)).toEqual(["ab", "c"]);
  expect(groupsOf([eventOf("a", 1_000_000), eventOf("b")])).toEqual(["a", "b"]);
});

test("the rate is constant, and time that was lost brings no burst", async () => {
  let now = 0;
  const pauses: number[] = [];
  const pause = async (milliseconds: number) => {
    pauses.push(milliseconds);
    now += milliseconds;
  };
  const pace = createPacer(50, pause, () => now);
  for (let batch = 0; batch < 3; batch += 1) await pace(10);
  expect({ now, pauses }).toEqual({ now: 400, pauses: [200, 200] });
  now = 60_000;
  await pace(10);
  await pace(10);
  expect({ now, pauses: pauses.length }).toEqual({ now: 60_200, pauses: 3 });
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
    selector: (event: { group: string; sequence: number }) => `${event.group} ${event.sequence}`,
  };
  fc.assert(
    fc.property(fc.uniqueArray(someEntry, unique), (drawn) => {
      const found = drawn.map(({ group, sequence, second }) => entry(group, sequence, second));
      const ordered = inSendingOrder(found);
      expect(new Set(ordered)).toEqual(new Set(found));
      for (const group of ["a", "b", "c"]) {
        const own = ordered
          .filter((event) => event.group === group)
          .map(({ sequence }) => sequence);
        expect(own).toEqual([...own].sort((left, right) => left - right));
      }
    }),
  );
});
