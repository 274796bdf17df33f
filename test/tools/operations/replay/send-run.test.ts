import { describe, expect, test } from "vitest";
import { sha256Of } from "../../../../shared/sha256.ts";
import type { StoredEvent } from "../../../../tools/operations/records/read-records.ts";
import type { SendBatch } from "../../../../tools/operations/replay/send-batch.ts";
import { sendRun } from "../../../../tools/operations/replay/send-run.ts";
import { forget, received, unwatched } from "./recorded-events.ts";
import { sequences, useReplays } from "./use-replays.ts";

const { operated, send, prepare, recorded, watchedSender } = useReplays();

test("a subscriber gets the stored bytes, with the attributes of a live event and the run", async () => {
  const { records, range } = await recorded(1, 2);
  const { run } = await prepare("order-history", range);
  expect(await send(run)).toMatchObject({ kind: "finished", run: { counts: { sent: 2 } } });
  expect(await received(operated.target(), "order-history")).toEqual(
    records.map(({ event, factId, type, group }) => ({
      body: event,
      event: JSON.parse(event),
      type,
      replay: run,
      group,
      deduplicationId: sha256Of(run, factId),
    })),
  );
});

test("a queue that is not ordered gets all events, too", async () => {
  const { records, range } = await recorded(3, 5);
  const { run } = await prepare("analytics", range);
  await send(run);
  const messages = await received(operated.target(), "analytics");
  expect(messages.map(({ body }) => body).sort()).toEqual(records.map(({ event }) => event).sort());
  expect(new Set(messages.map(({ replay }) => replay))).toEqual(new Set([run]));
});

test("two runs to one subscriber are both complete, each in order", async () => {
  const { range } = await recorded(4, 5);
  const runs = await Promise.all([
    prepare("order-history", range),
    prepare("order-history", range),
  ]);
  await Promise.all(runs.map(({ run }) => send(run)));
  const messages = await received(operated.target(), "order-history");
  for (const { run } of runs) {
    const own = sequences(messages.filter(({ replay }) => replay === run));
    const inOrder = [1, 2, 3, 4, 5];
    expect(own).toEqual({
      "order 0": inOrder,
      "order 1": inOrder,
      "order 2": inOrder,
      "order 3": inOrder,
    });
  }
});

const agoIso = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString();
const hour = 3_600_000;

test("an event that is pending for the subscriber is left to its normal delivery", async () => {
  const fields = { recordedAt: agoIso(hour), pending: ["order-history"] };
  await recorded(1, 1, { orderNo: "on its way", ...fields });
  const range = { since: agoIso(2 * hour), until: agoIso(0) };
  const waiting = await prepare("order-history", range);
  const pending = { sent: 0, pending: 1, gone: 0, unwanted: 0 };
  expect(await send(waiting.run)).toMatchObject({ kind: "finished", run: { counts: pending } });
  const other = await prepare("analytics", range);
  expect(await send(other.run)).toMatchObject({ run: { counts: { sent: 1, pending: 0 } } });
});

test("a record that is gone since the plan is counted and does not stop the run", async () => {
  const { records, range } = await recorded(3, 1);
  const { run } = await prepare("order-history", range);
  await forget(operated.target(), records[1]!);
  expect(await send(run)).toMatchObject({
    kind: "finished",
    run: { position: 3, counts: { sent: 2, gone: 1 } },
  });
});

test("the filter counts as it is when the event is sent", async () => {
  const { range } = await recorded(2, 1);
  const { run } = await prepare("order-history", range);
  const { subscribers } = operated.target();
  const changed = subscribers.map((one) => ({ ...one, types: ["payment.refund.*"] }));
  const target = { ...operated.target(), subscribers: changed };
  expect(await sendRun(target, run, unwatched)).toMatchObject({
    run: { counts: { sent: 0, unwanted: 2 } },
  });
});

const namesOf = (events: readonly StoredEvent[]) =>
  events.map(({ event, sequence }) => `${JSON.parse(event).subject} ${sequence}`);

describe("an ordered queue", () => {
  test("gets at most one event of an order in a call, so that none can pass a refused one", async () => {
    const { range } = await recorded(3, 4);
    const { run } = await prepare("order-history", range);
    const { calls, sendBatch } = watchedSender("order-history", run);
    await send(run, { sendBatch });
    expect(calls.map(namesOf)).toEqual(
      [1, 2, 3, 4].map((sequence) => [0, 1, 2].map((order) => `order ${order} ${sequence}`)),
    );
  });

  test("refuses a part of a batch: it is tried again before any later event", async () => {
    const { range } = await recorded(2, 2);
    const { run } = await prepare("order-history", range);
    const { calls, really, sendBatch } = watchedSender("order-history", run);
    const refuseOnce: SendBatch = async (events) => {
      if (calls.length > 0) return await sendBatch(events);
      calls.push([...events]);
      await really(events.slice(1));
      return [{ event: events[0]!, code: "InternalError", isLasting: false }];
    };
    const pauses: number[] = [];
    const pause = async (milliseconds: number) => {
      pauses.push(milliseconds);
    };
    await send(run, { sendBatch: refuseOnce, pause });
    expect(calls.map(namesOf)).toEqual([
      ["order 0 1", "order 1 1"],
      ["order 0 1"],
      ["order 0 2", "order 1 2"],
    ]);
    expect(pauses).toContain(500);
    const messages = await received(operated.target(), "order-history");
    expect(sequences(messages)).toEqual({ "order 0": [1, 2], "order 1": [1, 2] });
  });
});
