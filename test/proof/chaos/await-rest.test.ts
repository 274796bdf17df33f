import { expect, test } from "vitest";
import { askUntilFinal, type Clock, untilAtRest } from "./await-rest.ts";
import type { ApiCall } from "./shopper.ts";
import { callOf, getOf, order } from "./synthetic.ts";

/** A clock that advances only during waits. */
function fakeClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    wait: async (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** The numbers one after the other; the last one forever. */
function series<Value>(...values: readonly Value[]): () => Value {
  let next = 0;
  return () => values[Math.min(next++, values.length - 1)] as Value;
}

const nothing = {
  countPosts: () => 0,
  countQueued: async () => [0, 0],
  countUndelivered: async () => 0,
};

/** How many seconds pass until all work is finished. */
async function secondsUntilRest(underWay: Partial<typeof nothing>, giveUpAt = 900_000) {
  const clock = fakeClock();
  await untilAtRest({ ...nothing, ...underWay }, giveUpAt, clock);
  return clock.now() / 1_000;
}

test("three looks in a row must find nothing on its way", async () => {
  expect(await secondsUntilRest({})).toBe(1.5);
  const queued = series([0, 0], [0, 0], [0, 1], [0, 0]);
  expect(await secondsUntilRest({ countQueued: async () => queued() })).toBe(3);
});

test("an envelope without an answer is on its way", async () => {
  expect(await secondsUntilRest({ countPosts: series(1, 1, 0) })).toBe(2.5);
});

test("a record with an event that was not delivered is on its way", async () => {
  const undelivered = series(2, 1, 0);
  expect(await secondsUntilRest({ countUndelivered: async () => undelivered() })).toBe(2.5);
});

test("records that nothing brings on any more are left to the rules", async () => {
  const seconds = await secondsUntilRest({ countUndelivered: async () => 1 });
  expect(seconds).toBeGreaterThan(60);
  expect(seconds).toBeLessThan(63);
});

test("the waiting ends, and says what is still on its way", async () => {
  const full = { countQueued: async () => [0, 3] };
  await expect(secondsUntilRest(full, 5_000)).rejects.toThrow(
    "Work is still in progress: 0, 0, 3 in the queues, 0 undelivered.",
  );
});

/** Reads the order, with these responses one after the other. */
async function finalAnswer(...answers: readonly ApiCall[]) {
  const clock = fakeClock();
  const answer = series(...answers);
  const log: string[] = [];
  const found = await askUntilFinal(
    [order],
    {
      askAll: async (orders) => {
        log.push(`ask at ${clock.now() / 1_000}`);
        return new Map(orders.map(({ orderNo }) => [orderNo, answer()]));
      },
      untilRest: async () => void log.push("rest"),
    },
    clock,
  );
  return { ...found, log };
}

const [learned, stored] = [1, 2].map((sequence) => getOf({ status: "success", sequence }));
const stale = getOf({ status: "pending", stale: true, paymentId: "p1" });

test("an answer is final when it comes again after everything was at rest", async () => {
  const { answers, unsettled, log } = await finalAnswer(learned!, stored!);
  expect([...answers]).toEqual([[order.orderNo, stored]]);
  expect(unsettled.size).toBe(0);
  expect(log).toEqual(["ask at 0", "rest", "ask at 6", "rest", "ask at 12"]);
});

test.each([
  ["stale", stale],
  ["an error", callOf("GET /orders/C1-1", 503, {})],
  ["none", callOf("GET /orders/C1-1", undefined, {})],
])("an answer that is %s is never final", async (_case, last) => {
  const { answers, unsettled, log } = await finalAnswer(last);
  expect(answers.size).toBe(0);
  expect([...unsettled]).toEqual([[order.orderNo, last]]);
  expect(log.filter((line) => line === "rest")).toHaveLength(30);
});

test("news that is never stored is a final answer, for the rules to judge", async () => {
  const news = Array.from({ length: 40 }, (_item, second) =>
    getOf({ status: "success", sequence: 1, statusAt: `second ${second}` }),
  );
  const { answers } = await finalAnswer(...news);
  expect([...answers.keys()]).toEqual([order.orderNo]);
});

test("an answer that was stale for a while becomes final", async () => {
  const { answers } = await finalAnswer(stale, stale, stored!, stored!);
  expect([...answers]).toEqual([[order.orderNo, stored]]);
});

test("an order that nobody can ask the service about is answered finally, though stale", async () => {
  const last = getOf({ status: "failed", stale: true });
  const { answers } = await finalAnswer(last);
  expect([...answers]).toEqual([[order.orderNo, last]]);
});

test("an order that nobody knows is answered finally, too", async () => {
  const unknown = callOf("GET /orders/C1-1", 404, {});
  const { answers } = await finalAnswer(unknown);
  expect([...answers]).toEqual([[order.orderNo, unknown]]);
});
