import { DescribeTableCommand, type ScanCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { newOrder } from "../../../../shared/orders/order.ts";
import { planReplay } from "../../../../tools/operations/replay/plan-replay.ts";
import type { Selection } from "../../../../tools/operations/replay/selection.ts";
import type { Target } from "../../../../tools/operations/target/target.ts";
import { prices } from "../../../cost/prices.ts";
import { putItem } from "../../../integration/aws-stores.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { ownDay, plan, record, recordOf, selecting, unwatched } from "./recorded-events.ts";

const operated = useOperatedStack();

const ordersOf = (sample: readonly { subject: string | undefined }[]) =>
  sample.map(({ subject }) => subject);

test("a range begins and ends where it says, over the borders of hours", async () => {
  const { at } = ownDay();
  const times = ["09:59:59.999", "10:00:00.000", "10:59:59.999", "11:00:00.000", "12:00:00.000"];
  await record(
    operated.target(),
    ...times.map((time) => ({ orderNo: `range ${time}`, recordedAt: at(time) })),
  );
  const fields = { since: at("10:00:00.000"), until: at("11:00:00.000") };
  const { entries, first, last, sample } = await plan(operated.target(), "analytics", fields);
  expect(entries).toHaveLength(3);
  expect({ first, last }).toEqual({ first: fields.since, last: fields.until });
  expect(ordersOf(sample)).toEqual(times.slice(1, 4).map((time) => `range ${time}`));
});

test("hours that are read are counted", async () => {
  const { at } = ownDay();
  const told: string[] = [];
  const tell = (progress: string) => told.push(progress);
  const fields = selecting({ since: at("10:30:00.000"), until: at("14:10:00.000") });
  await planReplay(operated.target(), "analytics", fields, { ...unwatched, tell });
  expect(told.at(-1)).toBe("Reading: 5 of 5 hours");
  expect(told).toHaveLength(40);
});

test("the whole history is found, and a range of months, without quarantined callbacks", async () => {
  const target = operated.target();
  const [made] = await record(target, { orderNo: "old", recordedAt: "2020-02-03T04:05:06.789Z" });
  const quarantined = { outcome: "quarantined", timeBucket: undefined, callbackKey: "other" };
  await putItem(target.clients.dynamodb, target.tables.callbacks, { ...made, ...quarantined });
  for (const fields of [{}, { since: "2020-01-01T00:00:00.000Z" }]) {
    const { sample, entries } = await plan(target, "analytics", fields);
    expect(sample[0]).toMatchObject({ subject: "old", id: made!.factId });
    expect(entries.filter(({ group }) => group === made!.group)).toHaveLength(1);
  }
  const later = await plan(target, "analytics", { since: "2020-02-03T04:05:06.790Z" });
  expect(ordersOf(later.sample)).not.toContain("old");
});

/** The stack's own table, of which DynamoDB says that it has a million events. The emulator counts no index. */
function countedTarget(): Target {
  const events = 1_000_000;
  const index = { IndexName: "by-time", ItemCount: events, IndexSizeBytes: 450 * 1024 ** 2 };
  const Table = {
    ItemCount: 2 * events,
    TableSizeBytes: 2 * events * 5_000,
    GlobalSecondaryIndexes: [{ IndexName: "by-aggregate" }, index],
  };
  return describedBy(async () => ({ Table }));
}

function describedBy(describe: () => Promise<object>): Target {
  const target = operated.target();
  const { dynamodb: real } = target.clients;
  const send = async (command: unknown) =>
    command instanceof DescribeTableCommand
      ? await describe()
      : await real.send(command as ScanCommand);
  return { ...target, clients: { ...target.clients, dynamodb: { send } as typeof real } };
}

test("before the whole history is read, it is said what that takes and costs", async () => {
  await record(operated.target(), { orderNo: "counted", recordedAt: "2020-03-03T03:03:03.003Z" });
  const planned = async (target: Target, fields: Partial<Selection>) => {
    const told: string[] = [];
    const tell = (sentence: string) => told.push(sentence);
    await planReplay(target, "analytics", selecting(fields), { ...unwatched, note: tell, tell });
    return told;
  };
  const units = (450 * 256) / 2;
  expect(units * prices.readUnit).toBeLessThan(0.01);
  const sending = 1_000_000 * (2 * prices.readUnit + prices.sqsFifoRequest);
  for (const fields of [{}, { since: "2020-01-01T00:00:00.000Z" }]) {
    expect((await planned(countedTarget(), fields)).slice(0, 2)).toEqual([
      `This reads the whole history: about 1,000,000 events, 450 MB of the index by time, 57,600 read units, less than $0.01. Sending all of them would cost about $${sending.toFixed(2)} more.`,
      "Reading the whole history",
    ]);
  }
  const uncounted = await planned(operated.target(), {});
  expect(uncounted[0]).toMatch(/^This reads the whole history. DynamoDB has not counted it yet/);
  const denied = describedBy(() => Promise.reject(new Error("AccessDeniedException")));
  expect((await planned(denied, {})).slice(0, 2)).toEqual([
    "This reads the whole history. DynamoDB did not say how much that is.",
    "Reading the whole history",
  ]);
  const anHour = await planned(countedTarget(), { since: new Date().toISOString() });
  expect(anHour.filter((sentence) => sentence.includes("history"))).toEqual([]);
});

test("a range of months has its first and its last event", async () => {
  const ends = { since: "2019-01-03T04:05:06.789Z", until: "2019-06-03T04:05:06.789Z" };
  await record(
    operated.target(),
    { orderNo: "before", recordedAt: "2019-01-03T04:05:06.788Z" },
    { orderNo: "first", recordedAt: ends.since },
    { orderNo: "last", recordedAt: ends.until },
    { orderNo: "after", recordedAt: "2019-06-03T04:05:06.790Z" },
  );
  const { sample } = await plan(operated.target(), "analytics", ends);
  expect(ordersOf(sample)).toEqual(["first", "last"]);
});

test("the subscriber's filter leaves out what it does not want, and types are counted", async () => {
  const { at, since, until } = ownDay();
  await record(
    operated.target(),
    { orderNo: "f", sequence: 1, recordedAt: at("10:00:00.000"), type: "payment.order.confirming" },
    { orderNo: "f", sequence: 2, recordedAt: at("10:00:01.000"), type: "payment.order.success" },
    { orderNo: "g", recordedAt: at("10:00:02.000"), type: "payment.order.failed" },
    { orderNo: "f", paymentId: "p", recordedAt: at("10:00:03.000"), type: "payment.refund.failed" },
  );
  const range = { since, until };
  const filtered = await plan(operated.target(), "fulfilment", range);
  expect(filtered.byType).toEqual({ "payment.order.success": 1, "payment.refund.failed": 1 });
  expect(filtered.unwanted).toBe(2);
  const narrowed = await plan(operated.target(), "fulfilment", {
    ...range,
    types: ["payment.order.*"],
  });
  expect(narrowed).toMatchObject({ byType: { "payment.order.success": 1 }, unwanted: 2 });
  const others = await plan(operated.target(), "analytics", { ...range, merchantId: "shop-2" });
  expect(others.entries).toEqual([]);
});

test("events of the merchant that exists for smoke tests reach no other subscriber", async () => {
  const { at, since, until } = ownDay();
  const merchantId = "paycast-smoke";
  await record(operated.target(), { orderNo: "s", recordedAt: at("10:00:00.000"), merchantId });
  const smoke = { merchantId, queueUrl: "", callbackKeys: "" };
  const target = { ...operated.target(), smoke };
  expect(await plan(target, "analytics", { since, until })).toMatchObject({
    entries: [],
    unwanted: 1,
  });
});

test("a clock that is off cannot put a later sequence of an order first", async () => {
  const { at, since, until } = ownDay();
  await record(
    operated.target(),
    { orderNo: "clock", sequence: 1, recordedAt: at("10:00:05.000") },
    { orderNo: "clock", sequence: 2, recordedAt: at("10:00:01.000") },
    { orderNo: "clock", sequence: 3, recordedAt: at("09:59:59.000") },
    { orderNo: "between", recordedAt: at("10:00:03.000") },
    { orderNo: "after", recordedAt: at("10:00:06.000") },
  );
  const { sample, first, last } = await plan(operated.target(), "analytics", { since, until });
  expect(sample.map(({ subject, sequence }) => `${subject} ${sequence}`)).toEqual([
    "between 1",
    "clock 1",
    "clock 2",
    "clock 3",
    "after 1",
  ]);
  expect([first, last]).toEqual([at("09:59:59.000"), at("10:00:06.000")]);
});

test.each([
  ["control characters", "A\u001b[31m\u0000\r\nB\u202e"],
  ["64 characters of another script", "注".repeat(32) + "ن".repeat(32)],
])("an order with %s is found, with the refunds of its payments", async (_case, orderNo) => {
  const target = operated.target();
  const { at } = ownDay();
  const paymentIds = [`pay ${orderNo.length}`];
  const order = { ...newOrder("shop-1", orderNo), revision: 1, paymentIds };
  await putItem(target.clients.dynamodb, target.tables.orders, order);
  await record(
    target,
    { orderNo, sequence: 1, recordedAt: at("10:00:00.000") },
    { orderNo, paymentId: paymentIds[0]!, recordedAt: at("11:00:00.000"), type: refunded },
    { orderNo: `${orderNo}!`, recordedAt: at("10:30:00.000") },
  );
  const both = await plan(target, "analytics", { orderNo });
  expect(both.byType).toEqual({ "payment.order.success": 1, [refunded]: 1 });
  expect(ordersOf(both.sample)).toEqual([orderNo, orderNo]);
  const without = await plan(target, "analytics", { orderNo, withRefunds: false });
  expect(without.byType).toEqual({ "payment.order.success": 1 });
  const onePayment = await plan(target, "analytics", { paymentId: paymentIds[0]! });
  expect(onePayment.byType).toEqual({ [refunded]: 1 });
  const ofBoth = await plan(target, "analytics", { orderNo, paymentId: paymentIds[0]! });
  expect(ofBoth.byType).toEqual({ [refunded]: 1 });
  const early = await plan(target, "analytics", { orderNo, until: at("10:00:00.000") });
  expect(early.byType).toEqual({ "payment.order.success": 1 });
  const ofOther = await plan(target, "analytics", { orderNo, merchantId: "shop-2" });
  expect(ofOther.entries).toEqual([]);
});

const refunded = "payment.refund.success";

test("an event is found by its id, in its order or in a range", async () => {
  const { at, since, until } = ownDay();
  const events = [1, 2, 3].map((sequence) => ({
    orderNo: "by id",
    sequence,
    recordedAt: at(`10:00:0${sequence}.000`),
  }));
  await record(operated.target(), ...events);
  const named = [recordOf(events[1]!).factId, "unknown"];
  for (const where of [{ orderNo: "by id" }, { since, until }]) {
    const { sample } = await plan(operated.target(), "analytics", { ...where, events: named });
    expect(sample.map(({ sequence }) => sequence)).toEqual([2]);
  }
});

test("a receipt of a known fact is not an event", async () => {
  const target = operated.target();
  const { at } = ownDay();
  const [first] = await record(target, { orderNo: "known", recordedAt: at("10:00:00.000") });
  const { event: _event, timeBucket: _bucket, pending: _pending, ...received } = first!;
  const again = { ...received, callbackKey: "again", outcome: "known-fact" };
  await putItem(target.clients.dynamodb, target.tables.callbacks, again);
  expect((await plan(target, "analytics", { orderNo: "known" })).entries).toHaveLength(1);
});

test("more events than a run may have are refused with what to do", async () => {
  const { at, since, until } = ownDay();
  const recordedAt = at("10:00:00.000");
  await record(operated.target(), ...["a", "b", "c"].map((orderNo) => ({ orderNo, recordedAt })));
  const selection = selecting({ since, until });
  const limited = (mostEvents: number) =>
    planReplay(operated.target(), "analytics", selection, unwatched, mostEvents);
  await expect(limited(3)).resolves.toMatchObject({ byType: { "payment.order.success": 3 } });
  await expect(limited(2)).rejects.toMatchObject({
    code: "replay-too-large",
    message: expect.stringContaining("--since and --until"),
  });
});

test("a subscriber that does not exist is named with those that do", async () => {
  await expect(plan(operated.target(), "nobody")).rejects.toMatchObject({
    code: "not-found",
    message:
      "The stack has no subscriber of that name. It has: fulfilment, order-history, analytics.",
  });
});

test("Ctrl-C ends the reading", async () => {
  const { at, since, until } = ownDay();
  await record(operated.target(), { orderNo: "stop", recordedAt: at("10:00:00.000") });
  const deps = { ...unwatched, stopped: AbortSignal.abort() };
  const empty = ownDay();
  const emptyRange = { since: empty.since, until: empty.until };
  for (const fields of [{ since, until }, emptyRange, {}, { orderNo: "stop" }]) {
    const planned = planReplay(operated.target(), "analytics", selecting(fields), deps);
    await expect(planned).rejects.toMatchObject({ name: "AbortError" });
  }
});
