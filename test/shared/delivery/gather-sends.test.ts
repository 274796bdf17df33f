import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { SendEvents, SendResults } from "../../../shared/delivery/delivery.ts";
import { createSendGatherer } from "../../../shared/delivery/gather-sends.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const to = (name: string) => ({ name, types: ["*"], queueUrl: name, ordered: true });
const books = to("books");
const stock = to("stock");
const eventOf = (eventId: string, event = "{}") => ({
  event,
  eventId,
  type: "payment.order.success",
  group: eventId,
});

const accept: SendEvents = async (_subscriber, events) =>
  new Map(events.map((event) => [event, "accepted"]));

/** A batch, and the calls that its sends become. */
function startBatch(answer: SendEvents = accept) {
  const calls: { to: string; events: string[]; limit: number }[] = [];
  const { track } = createSendGatherer(async (subscriber, events, limit) => {
    calls.push({ to: subscriber.name, events: events.map(({ eventId }) => eventId), limit });
    return await answer(subscriber, events, limit);
  });
  /** Processes a message that sends its event after so many milliseconds. */
  const message = (
    eventId: string,
    { after = 0, subscribers = [books], limit = 3_300, event = "{}" } = {},
  ) =>
    track(async (send) => {
      if (after > 0) await pause(after);
      const outgoing = eventOf(eventId, event);
      await Promise.all(subscribers.map((subscriber) => send(subscriber, outgoing, limit)));
      return eventId;
    });
  return { track, calls, message };
}

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds);
  });
const eventsOf = (calls: readonly { events: readonly string[] }[]) =>
  calls.map(({ events }) => events);

test("a message that is alone in its batch waits for nobody", async () => {
  const { calls, message } = startBatch();
  expect(await message("a")).toBe("a");
  expect(calls).toEqual([{ to: "books", events: ["a"], limit: 3_300 }]);
  expect(vi.getTimerCount()).toBe(0);
});

test("what several messages send at about the same time is one call for each queue", async () => {
  const { calls, message } = startBatch();
  const both = { subscribers: [books, stock] };
  const done = Promise.all([message("a", both), message("b", { after: 5 }), message("c", both)]);
  await vi.advanceTimersByTimeAsync(5);
  expect(await done).toEqual(["a", "b", "c"]);
  expect(calls).toEqual([
    { to: "books", events: ["a", "c", "b"], limit: 3_300 },
    { to: "stock", events: ["a", "c"], limit: 3_300 },
  ]);
});

test("a slow message is waited for 25 milliseconds, and is sent alone then", async () => {
  const { calls, message } = startBatch();
  const slow = message("slow", { after: 4_000 });
  const done = Promise.all([message("a"), message("b")]);
  await vi.advanceTimersByTimeAsync(24);
  expect(calls).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await done).toEqual(["a", "b"]);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await slow).toBe("slow");
  expect(eventsOf(calls)).toEqual([["a", "b"], ["slow"]]);
});

test.each([
  ["has nothing to send", async () => "duplicate"],
  ["fails before it sends", () => Promise.reject(new Error("no table"))],
])("nobody waits for a message that %s", async (_case, process) => {
  const { track, calls, message } = startBatch();
  const ended = track(process).catch(({ message: text }: Error) => text);
  expect(await message("a")).toBe("a");
  expect(["duplicate", "no table"]).toContain(await ended);
  expect(eventsOf(calls)).toEqual([["a"]]);
});

test("the second message of a group is sent after the first", async () => {
  const { calls, message } = startBatch();
  const group = async () => [await message("a1"), await message("a2")];
  const done = Promise.all([group(), message("b")]);
  expect(await done).toEqual([["a1", "a2"], "b"]);
  expect(eventsOf(calls)).toEqual([["a1", "b"], ["a2"]]);
});

describe("a call for several", () => {
  const outcomes = async (answer: SendEvents) => {
    const { message } = startBatch(answer);
    const results = await Promise.allSettled([message("a"), message("b")]);
    return results.map((result) =>
      result.status === "fulfilled" ? "sent" : String(result.reason.message),
    );
  };
  const answered =
    (...results: readonly ("accepted" | Error | undefined)[]): SendEvents =>
    async (_subscriber, events) =>
      new Map(
        events.flatMap((event, index) => {
          const result = results[index];
          return result === undefined ? [] : [[event, result] as const];
        }),
      ) satisfies SendResults;

  test("of which one is rejected fails that one alone", async () => {
    expect(await outcomes(answered("accepted", new Error("too large")))).toEqual([
      "sent",
      "too large",
    ]);
  });

  test("that fails as a whole fails each", async () => {
    expect(await outcomes(() => Promise.reject(new Error("gone")))).toEqual(["gone", "gone"]);
  });

  test("of which one has no result: it does not count as sent", async () => {
    const [first, second] = await outcomes(answered("accepted"));
    expect([first, second]).toEqual(["sent", "The send has no result."]);
  });

  test("has the shortest of their time limits", async () => {
    const { calls, message } = startBatch();
    await Promise.all([message("a"), message("b", { limit: 400 })]);
    expect(calls).toMatchObject([{ limit: 400 }]);
  });

  test("has at most ten events", async () => {
    const { calls, message } = startBatch();
    await Promise.all(Array.from({ length: 12 }, (_item, index) => message(`${index}`)));
    expect(eventsOf(calls).map(({ length }) => length)).toEqual([10, 2]);
  });

  test("has at most what SQS accepts in one call, and an event that is larger goes alone", async () => {
    const { calls, message } = startBatch();
    const half = "x".repeat(520_000);
    const whole = "x".repeat(1_100_000);
    await Promise.all(
      [half, half, "{}", whole, "{}"].map((event, index) => message(`${index}`, { event })),
    );
    expect(eventsOf(calls)).toEqual([["0"], ["1", "2"], ["3"], ["4"]]);
  });
});
