import { expect, test } from "vitest";
import { newOrder } from "../../../../shared/orders/order.ts";
import { planReplay } from "../../../../tools/operations/replay/plan-replay.ts";
import { putItem } from "../../../integration/aws-stores.ts";
import { useTarget } from "../use-target.ts";
import { ownDay, plan, record, recordOf, selecting, unwatched } from "./recorded-events.ts";

const operated = useTarget();

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
  const { events, first, last, sample } = await plan(operated.target(), "analytics", fields);
  expect(events).toBe(3);
  expect({ first, last }).toEqual({ first: fields.since, last: fields.until });
  expect(ordersOf(sample)).toEqual(times.slice(1, 4).map((time) => `range ${time}`));
});

test("hours that are read are counted", async () => {
  const { at } = ownDay();
  const lines: string[] = [];
  const tell = (progress: string) => lines.push(progress);
  const fields = selecting({ since: at("10:30:00.000"), until: at("14:10:00.000") });
  await planReplay(operated.target(), "analytics", fields, { ...unwatched, tell });
  expect(lines.at(-1)).toBe("Reading: 5 of 5 hours");
  expect(lines).toHaveLength(40);
});

test("the whole history is found, and a range of months, without quarantined callbacks", async () => {
  const target = operated.target();
  const [made] = await record(target, { orderNo: "old", recordedAt: "2020-02-03T04:05:06.789Z" });
  const quarantined = { outcome: "quarantined", timeBucket: undefined, callbackKey: "other" };
  await putItem(target.records.database.client, target.records.table, { ...made, ...quarantined });
  for (const fields of [{}, { since: "2020-01-01T00:00:00.000Z" }]) {
    const { sample, first } = await plan(target, "analytics", fields);
    expect(first).toBe(made!.recordedAt);
    expect(sample[0]).toMatchObject({ subject: "old", id: made!.factId });
    expect(sample.filter(({ subject }) => subject === "old")).toHaveLength(1);
  }
  const later = await plan(target, "analytics", { since: "2020-02-03T04:05:06.790Z" });
  expect(ordersOf(later.sample)).not.toContain("old");
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
  expect(others.events).toBe(0);
});

test("events of the merchant that exists for smoke tests reach no other subscriber", async () => {
  const { at, since, until } = ownDay();
  const merchantId = "paycast-smoke";
  await record(operated.target(), { orderNo: "s", recordedAt: at("10:00:00.000"), merchantId });
  const smoke = { merchantId, queueUrl: "", callbackKeys: "" };
  const target = { ...operated.target(), stack: { ...operated.target().stack, smoke } };
  expect(await plan(target, "analytics", { since, until })).toMatchObject({
    events: 0,
    unwanted: 1,
  });
});

test.each([
  ["control characters", "A\u001b[31m\u0000\r\nB\u202e"],
  ["64 characters of another script", "注".repeat(32) + "ن".repeat(32)],
])("an order with %s is found, with the refunds of its payments", async (_case, orderNo) => {
  const target = operated.target();
  const { at } = ownDay();
  const paymentIds = [`pay ${orderNo.length}`];
  const order = { ...newOrder("shop-1", orderNo), revision: 1, paymentIds };
  await putItem(target.records.database.client, target.orders.table, order);
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
  expect(ofOther.events).toBe(0);
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
  await putItem(target.records.database.client, target.records.table, again);
  expect((await plan(target, "analytics", { orderNo: "known" })).events).toBe(1);
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
