import { describe, expect, test } from "vitest";
import { sha256Of } from "../../../../shared/sha256.ts";
import type { StoredEvent } from "../../../../tools/operations/records/read-records.ts";
import type { SendBatch } from "../../../../tools/operations/replay/send-batch.ts";
import { withoutAudit } from "../test-target.ts";
import { forget, ownDay, received, record } from "./recorded-events.ts";
import { sequences, useReplays } from "./use-replays.ts";

const { operated, send, prepare, recorded, watchedSender } = useReplays();

test("a subscriber gets the stored bytes, with the attributes of a live event and the run", async () => {
  const { records, range } = await recorded(1, 2);
  const { run, counts } = await send(await prepare("order-history", range));
  expect(counts).toEqual({ sent: 2, pending: 0, gone: 0 });
  expect(await received(operated, "order-history")).toEqual(
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
  const { run } = await send(await prepare("analytics", range));
  const messages = await received(operated, "analytics");
  expect(messages.map(({ body }) => body).sort()).toEqual(records.map(({ event }) => event).sort());
  expect(new Set(messages.map(({ replay }) => replay))).toEqual(new Set([run]));
});

test("two runs to one subscriber are both complete, each in order", async () => {
  const { range } = await recorded(4, 5);
  const prepared = await prepare("order-history", range);
  const runs = await Promise.all([send(prepared), send(prepared)]);
  const messages = await received(operated, "order-history");
  const inOrder = [1, 2, 3, 4, 5];
  for (const { run } of runs) {
    const own = sequences(messages.filter(({ replay }) => replay === run));
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
  const pending = { sent: 0, pending: 1, gone: 0 };
  expect(await send(await prepare("order-history", range))).toMatchObject({ counts: pending });
  const other = await send(await prepare("analytics", range));
  expect(other).toMatchObject({ counts: { sent: 1, pending: 0 } });
});

test("a record that is gone since the plan does not stop the run", async () => {
  const { records, range } = await recorded(3, 1);
  const byTime = await prepare("order-history", range);
  await forget(operated.target(), records[1]!);
  expect(await send(byTime)).toMatchObject({ outcome: "finished", counts: { sent: 2 } });
});

test("what the subscriber's filter or the selection excludes is not sent, also beside the rest", async () => {
  const { at, since, until } = ownDay();
  const recordedAt = at("09:30:00.000");
  await record(
    operated.target(),
    { orderNo: "unwanted", recordedAt, type: "payment.order.failed" },
    { orderNo: "unselected", recordedAt, type: "payment.refund.success", paymentId: "P1" },
    { orderNo: "wanted", recordedAt },
  );
  const selected = { since, until, types: ["payment.order.*"] };
  expect(await send(await prepare("fulfilment", selected))).toMatchObject({
    events: 1,
    counts: { sent: 1, pending: 0, gone: 0 },
  });
  const messages = await received(operated, "fulfilment");
  expect(messages.map(({ event }) => event.subject)).toEqual(["wanted"]);
});

const namesOf = (events: readonly StoredEvent[]) =>
  events.map(({ event, sequence }) => `${JSON.parse(event).subject} ${sequence}`);

const passOn = (events: readonly StoredEvent[], really: SendBatch) => really(events);

describe("the order", () => {
  test("a refused part of a batch is tried again before any later event", async () => {
    const { range } = await recorded(2, 2);
    const { calls, createSender } = watchedSender("order-history", async (events, really) => {
      if (calls.length > 1) return await really(events);
      await really(events.slice(1));
      return [{ event: events[0]!, code: "InternalError", isLasting: false }];
    });
    const pauses: number[] = [];
    const pause = async (milliseconds: number) => {
      pauses.push(milliseconds);
    };
    await send(await prepare("order-history", range), { createSender, pause });
    expect(calls.map(namesOf)).toEqual([
      ["order 0 1", "order 1 1"],
      ["order 0 1"],
      ["order 0 2", "order 1 2"],
    ]);
    expect(pauses).toContain(500);
    const messages = await received(operated, "order-history");
    expect(sequences(messages)).toEqual({ "order 0": [1, 2], "order 1": [1, 2] });
  });

  test("a clock that is off cannot put a later sequence of an order first, over the border of an hour", async () => {
    const { at, since, until } = ownDay();
    await record(
      operated.target(),
      { orderNo: "early", recordedAt: at("09:10:00.000") },
      { orderNo: "clock", sequence: 1, recordedAt: at("10:00:05.000") },
      { orderNo: "clock", sequence: 2, recordedAt: at("10:00:01.000") },
      { orderNo: "clock", sequence: 3, recordedAt: at("09:59:59.000") },
      { orderNo: "between", recordedAt: at("10:00:03.000") },
      { orderNo: "after", recordedAt: at("10:00:06.000") },
    );
    const { calls, createSender } = watchedSender("analytics", passOn);
    await send(await prepare("analytics", { since, until }), { createSender });
    expect(calls.flatMap(namesOf)).toEqual([
      "early 1",
      "between 1",
      "clock 1",
      "clock 2",
      "clock 3",
      "after 1",
    ]);
  });

  test("a range of months is sent by time, and only the hours with events are read", async () => {
    const target = operated.target();
    const times = [
      "2018-01-03T04:05:06.789Z",
      "2018-03-03T23:59:59.999Z",
      "2018-06-03T00:00:00.000Z",
    ];
    await record(
      target,
      ...times.map((recordedAt, index) => ({ orderNo: `month ${index}`, recordedAt })),
    );
    const prepared = await prepare("analytics", { since: times[0]!, until: times[2]! });
    expect(prepared.hours).toHaveLength(3);
    const { calls, createSender } = watchedSender("analytics", passOn);
    await send(prepared, { createSender });
    expect(calls.flatMap(namesOf)).toEqual(["month 0 1", "month 1 1", "month 2 1"]);
  });
});

/** What a person would do: the command's own times, and the rest of the selection. */
const sinceIn = (command = "") => / --since '([^']+)'/.exec(command)![1]!;

test("a queue that goes on refusing ends the run, with the command that continues where it was", async () => {
  const { range, records } = await recorded(1, 3);
  const { calls, createSender } = watchedSender("order-history", async (events, really) => {
    if (events[0]?.sequence === 1) return await really(events);
    return [{ event: events[0]!, code: "InternalError", isLasting: false }];
  });
  const prepared = await prepare("order-history", { ...range, types: ["payment.order.*"] });
  const failing = send(prepared, { createSender, pause: async () => {} });
  const since = records[1]!.recordedAt;
  await expect(failing).rejects.toMatchObject({
    code: "aws-refused",
    message: expect.stringMatching(
      new RegExp(
        `^Run \\S+: 1 of 3 events sent to order-history\\. Then it failed: SQS rejected 1 of a batch's events: InternalError\\. To continue: npx paycast replay --to order-history --type 'payment\\.order\\.\\*' --rate 500 --since '${since}' --until '${range.until}' --yes$`,
      ),
    ),
  });
  expect(calls).toHaveLength(1 + 7);
  const rest = await send(await prepare("order-history", { ...range, since }));
  expect(rest).toMatchObject({ outcome: "finished", counts: { sent: 2 } });
  const messages = await received(operated, "order-history");
  expect(sequences(messages)).toEqual({ "order 0": [1, 2, 3] });
});

test("a missing permission is not tried again: the next try would end the same", async () => {
  const { range } = await recorded(1, 1);
  const { calls, createSender } = watchedSender("order-history", async () => {
    const denied = { name: "AccessDenied", $fault: "client", $metadata: {} };
    throw Object.assign(new Error("no"), denied);
  });
  await expect(send(await prepare("order-history", range), { createSender })).rejects.toThrow();
  expect(calls).toHaveLength(1);
});

test("AWS that asks to slow down is obeyed", async () => {
  const { range } = await recorded(1, 1);
  const { calls, createSender } = watchedSender("order-history", async (events, really) => {
    const error = { name: "RequestThrottled", $fault: "client", $metadata: {} };
    if (calls.length < 4) throw Object.assign(new Error("slow down"), error);
    return await really(events);
  });
  const deps = { createSender, pause: async () => {} };
  expect(await send(await prepare("order-history", range), deps)).toMatchObject({
    outcome: "finished",
  });
});

test("Ctrl-C ends it after the batch that is under way, and the command continues with the next event", async () => {
  const { range, records } = await recorded(30, 1);
  const stop = new AbortController();
  const deps = { stopped: stop.signal, tell: () => stop.abort() };
  const stopped = await send(await prepare("order-history", range), deps);
  expect(stopped).toMatchObject({ outcome: "stopped", counts: { sent: 10 } });
  const since = sinceIn(stopped.continueWith);
  expect(since).toBe(records[10]!.recordedAt);
  await send(await prepare("order-history", { ...range, since }));
  const bodies = (await received(operated, "order-history")).map(({ body }) => body);
  expect(bodies.sort()).toEqual(records.map(({ event }) => event).sort());
});

test("it continues with the earliest event that was not sent, also if that is not the next", async () => {
  const { at, since, until } = ownDay();
  await record(
    operated.target(),
    { orderNo: "first", recordedAt: at("09:59:30.000") },
    { orderNo: "clock", sequence: 1, recordedAt: at("10:00:20.000") },
    { orderNo: "clock", sequence: 2, recordedAt: at("09:59:40.000") },
  );
  const stop = new AbortController();
  const deps = { stopped: stop.signal, tell: () => stop.abort(), eventsPerSecond: 1 };
  const stopped = await send(await prepare("analytics", { since, until }), deps);
  expect(stopped).toMatchObject({ counts: { sent: 1 } });
  expect(sinceIn(stopped.continueWith)).toBe(at("09:59:40.000"));
});

test("Ctrl-C before the first event continues where it should have begun", async () => {
  const { range } = await recorded(1, 1);
  const prepared = await prepare("analytics", range);
  const stopped = await send(prepared, { stopped: AbortSignal.abort() });
  expect(sinceIn(stopped.continueWith)).toBe(range.since);
});

test("progress says how far it is, by count and by time", async () => {
  const { range } = await recorded(12, 1);
  const lines: string[] = [];
  await send(await prepare("analytics", range), { tell: (progress) => lines.push(progress) });
  expect(lines).toEqual([
    expect.stringMatching(/^Sending: 10 of 12, recorded until \S+T09:30:09Z, 0 s to go$/),
    expect.stringMatching(/^Sending: 12 of 12, recorded until \S+T09:30:11Z, 0 s to go$/),
  ]);
});

test("nothing is sent if the audit line cannot be written", async () => {
  const { range } = await recorded(1, 1);
  const target = withoutAudit(operated.target(), "no audit");
  const sending = send(await prepare("order-history", range), {}, target);
  await expect(sending).rejects.toThrow("no audit");
  expect(await received(operated, "order-history")).toEqual([]);
});

test("the audit line says what is sent to whom", async () => {
  const { range, records } = await recorded(20, 1);
  const { run } = await send(await prepare("order-history", range));
  const lines = operated.auditLines().filter((line) => line.includes(run));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { run, subscriber: "order-history", act: "replay", events: 20, types: [], ids: [], ...range },
  ]);
  expect(lines.join()).not.toContain(records[0]!.event);
});
