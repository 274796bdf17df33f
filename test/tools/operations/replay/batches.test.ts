import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EventEntry, StoredEvent } from "../../../../tools/operations/records/read-records.ts";
import { inSendingOrder } from "../../../../tools/operations/replay/events-in-order.ts";
import {
  batchesOf,
  createPacer,
  sendPatiently,
} from "../../../../tools/operations/replay/send-batch.ts";

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

describe("a batch that the queue refuses in part", () => {
  const events = [eventOf("a"), eventOf("b"), eventOf("c")];
  /** Sends the batch to a queue that refuses these events, try by try. Gives what was sent, and the pauses. */
  const send = async (...tries: Readonly<Record<string, { isLasting: boolean }>>[]) => {
    const sent: string[] = [];
    const pauses: number[] = [];
    const sendBatch = async (batch: readonly StoredEvent[]) => {
      const refused = tries[sent.length] ?? {};
      sent.push(batch.map(({ group }) => group).join(""));
      return batch.flatMap((event) => {
        const refusal = refused[event.group];
        return refusal === undefined ? [] : [{ event, code: `refused ${event.group}`, ...refusal }];
      });
    };
    const pause = async (milliseconds: number) => void pauses.push(milliseconds);
    const end = await sendPatiently(sendBatch, events, pause).catch((error: Error) => error);
    return { sent, pauses, end };
  };
  const later = { isLasting: false };
  const never = { isLasting: true };

  test("is sent again without what the queue has, after pauses that double", async () => {
    expect(await send({ b: later, c: later }, { c: later })).toEqual({
      sent: ["abc", "bc", "c"],
      pauses: [500, 1000],
      end: undefined,
    });
  });

  test("is given up at once, if another try cannot help one of its events", async () => {
    const { sent, end } = await send({ a: later, c: never });
    expect(sent).toEqual(["abc"]);
    expect(end).toMatchObject({ message: expect.stringContaining("refused a") });
  });

  test("is given up after half a minute", async () => {
    const { sent, pauses, end } = await send(...Array.from({ length: 9 }, () => ({ a: later })));
    expect(sent).toEqual(["abc", "a", "a", "a", "a", "a", "a"]);
    expect(pauses.reduce((sum, milliseconds) => sum + milliseconds)).toBe(31_500);
    expect(end).toBeInstanceOf(Error);
  });
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
