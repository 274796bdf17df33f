import fc from "fast-check";
import { expect, test } from "vitest";
import type { EventEntry } from "../../../../tools/operations/records/read-records.ts";
import {
  type Batch,
  makeBatches,
  type Step,
} from "../../../../tools/operations/replay/make-batches.ts";
import { inSendingOrder } from "../../../../tools/operations/replay/plan-replay.ts";
import { noCounts } from "../../../../tools/operations/replay/run.ts";
import { createPacer } from "../../../../tools/operations/replay/send-batch.ts";

const entry = (group: string, sequence: number, second: number): EventEntry => ({
  callbackKey: `${group} ${sequence}`,
  receipt: "first",
  group,
  sequence,
  type: "payment.order.success",
  merchantId: "shop-1",
  recordedAt: new Date(second * 1000).toISOString(),
});

const stepOf = (group: string, bytes = 10): Step => {
  return { ...entry(group, 1, 0), factId: "fact", event: "x".repeat(bytes), pending: [] };
};

async function batched(steps: readonly Step[], ordered = true) {
  const given = async function* () {
    yield* steps;
  };
  const batches: Batch[] = [];
  for await (const batch of makeBatches(given(), noCounts, { events: 10, ordered }))
    batches.push(batch);
  return batches;
}

const groupsOf = (batches: readonly Batch[]) =>
  batches.map(({ events }) => events.map(({ group }) => group).join(""));

test("nothing makes no batch", async () => {
  expect(await batched([])).toEqual([]);
});

test("a batch has at most ten events", async () => {
  expect(groupsOf(await batched([..."abcdefghijkl"].map((group) => stepOf(group))))).toEqual([
    "abcdefghij",
    "kl",
  ]);
});

test("a group that comes again begins a new batch, on an ordered queue only", async () => {
  const steps = [..."abacc"].map((group) => stepOf(group));
  expect(groupsOf(await batched(steps))).toEqual(["ab", "ac", "c"]);
  expect(groupsOf(await batched(steps, false))).toEqual(["abacc"]);
});

test("a batch stays below the mebibyte that SQS takes, and one large event goes alone", async () => {
  const steps = [stepOf("a", 400_000), stepOf("b", 400_000), stepOf("c", 400_000)];
  expect(groupsOf(await batched(steps))).toEqual(["ab", "c"]);
  expect(groupsOf(await batched([stepOf("a", 1_000_000), stepOf("b")]))).toEqual(["a", "b"]);
});

test("what is skipped is counted with the batch, and thousands of it still come in parts", async () => {
  expect(await batched(["gone", stepOf("a"), "pending"])).toMatchObject([
    { steps: 3, counts: { sent: 1, gone: 1, pending: 1, unwanted: 0 } },
  ]);
  const many = await batched(Array.from({ length: 1_200 }, () => "gone"));
  expect(many.map(({ steps }) => steps)).toEqual([500, 500, 200]);
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
