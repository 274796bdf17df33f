import { beforeAll, describe, expect, test } from "vitest";
import { eventsOf, notices, openNotices } from "../integration/flow.ts";
import { type Shop, useShops } from "../storefront/shop.ts";
import { created, payInSilence } from "../storefront/silent-payment.ts";
import { day, daysLater, dueOf, hour, lastDueOf, minute, timeOf } from "./overdue.ts";

const makeShop = useShops();

const statusOf = async (shop: Shop, orderNo: string) => (await shop.order(orderNo))?.["status"];
const eventsIn = async (shop: Shop) =>
  (await eventsOf(shop.world, "books"))
    .map(({ type, subject, origin }) => `${subject} ${type} ${origin}`)
    .sort();

describe("when all callbacks are lost", () => {
  test("every order ends right, with exactly one event per fact", async () => {
    const shop = await makeShop(daysLater);
    const { simulator } = shop;
    const [paid, failed, over, waiting] = [
      await created(shop),
      await created(shop),
      await created(shop),
      await created(shop),
    ];
    const all = [paid, failed, over, waiting].map(({ orderNo }) => orderNo);
    simulator.addFault({ kind: "lose" });
    simulator.pay(paid.paymentId);
    simulator.fail(failed.paymentId);
    simulator.expire(over.paymentId);
    simulator.jumpClock(2);
    await simulator.settled();
    const time = timeOf(shop);
    const firstDue = await lastDueOf(shop, all);
    expect(await time.runAt(firstDue - hour)).toMatchObject({ OldestDueSeconds: 0 });
    expect(await time.runAt(firstDue)).toMatchObject({
      outcome: "reconciled",
      Answered: 4,
      News: 3,
    });
    await shop.pump();
    const statuses = await Promise.all(all.map((orderNo) => statusOf(shop, orderNo)));
    expect(statuses).toEqual(["success", "failed", "timeout", "pending"]);
    const firstEvents = [
      `${paid.orderNo} payment.order.success query`,
      `${failed.orderNo} payment.order.failed query`,
      `${over.orderNo} payment.order.timeout query`,
    ];
    expect(await eventsIn(shop)).toEqual(firstEvents.sort());
    expect(await dueOf(shop, paid.orderNo)).toBeUndefined();
    expect(await dueOf(shop, waiting.orderNo)).toBeGreaterThan(time.now() + minute);
    simulator.pay(waiting.paymentId);
    simulator.jumpClock(2);
    await simulator.settled();
    await time.runAt(firstDue + hour);
    await shop.pump();
    expect(await eventsIn(shop)).toEqual([`${waiting.orderNo} payment.order.success query`]);
    expect(await time.runAt(firstDue + 2 * day)).toMatchObject({ Answered: 2 });
    await shop.pump();
    expect(await time.runAt(firstDue + 20 * day)).toMatchObject({ OldestDueSeconds: 0 });
    expect(await eventsIn(shop)).toEqual([]);
  });

  test("an order that may be paid for a day is asked about when it is half an hour old", async () => {
    const shop = await makeShop(daysLater);
    const createdAt = Date.now();
    const { orderNo, paymentId } = await created(shop, {
      paymentExpiryTime: createdAt + day - minute,
    });
    await payInSilence(shop, paymentId);
    const time = timeOf(shop);
    expect(await time.runAt(createdAt + 29 * minute)).not.toHaveProperty("Asked");
    expect(await time.runAt(createdAt + 31 * minute)).toMatchObject({ Asked: 1, News: 1 });
    await shop.pump();
    expect(await eventsIn(shop)).toEqual([`${orderNo} payment.order.success query`]);
    expect(await shop.order(orderNo)).not.toHaveProperty("earlyAtMilliseconds");
  });

  test("the last check of a timeout finds a late success, and without one it is not due any more", async () => {
    const shop = await makeShop(daysLater);
    const { simulator } = shop;
    const other = await created(shop);
    const { orderNo, paymentId } = await created(shop);
    simulator.addFault({ kind: "lose" });
    for (const over of [other, { paymentId }]) simulator.expire(over.paymentId);
    const time = timeOf(shop);
    await time.runAt(await lastDueOf(shop, [other.orderNo, orderNo]));
    await shop.pump();
    const learnedAt = time.now();
    const last = await lastDueOf(shop, [other.orderNo, orderNo]);
    expect(Math.abs(last - learnedAt - day)).toBeLessThan(minute);
    expect(await time.runAt(last - hour)).toMatchObject({ OldestDueSeconds: 0 });
    simulator.pay(paymentId, { force: true });
    simulator.jumpClock(2);
    await simulator.settled();
    expect(await time.runAt(last)).toMatchObject({ Answered: 2, News: 1 });
    await shop.pump();
    expect(await shop.order(orderNo)).toMatchObject({ status: "success", flags: ["late"] });
    expect(await dueOf(shop, orderNo)).toBeUndefined();
    expect(await dueOf(shop, other.orderNo)).toBeUndefined();
    expect(await eventsIn(shop)).toHaveLength(3);
  });
});

describe("a payment that is tried again after it failed", () => {
  test("is asked about for as long as the service processes it, and its success is found", async () => {
    const shop = await makeShop(daysLater);
    const { simulator } = shop;
    const { orderNo, paymentId } = await created(shop);
    simulator.fail(paymentId);
    simulator.jumpClock(2);
    await simulator.settled();
    await shop.pump();
    simulator.addFault({ kind: "lose" });
    simulator.pay(paymentId, { force: true });
    const time = timeOf(shop);
    expect(await time.runAt((await dueOf(shop, orderNo))!)).toMatchObject({ News: 1 });
    await shop.pump();
    expect(await time.runAt((await dueOf(shop, orderNo))!)).toMatchObject({ Answered: 1 });
    expect(await statusOf(shop, orderNo)).toBe("failed");
    simulator.jumpClock(2);
    await simulator.settled();
    await time.runAt((await dueOf(shop, orderNo))!);
    await shop.pump();
    expect(await statusOf(shop, orderNo)).toBe("success");
  });
});

describe("a callback and an answer with the same fact", () => {
  let shop: Shop;
  let time: ReturnType<typeof timeOf>;
  beforeAll(async () => {
    shop = await makeShop(daysLater);
    time = timeOf(shop);
  });

  test("that was learned by asking first publish one event", async () => {
    const { orderNo, paymentId } = await created(shop);
    shop.simulator.addFault({ kind: "delay", seconds: 600 });
    shop.simulator.pay(paymentId);
    shop.simulator.jumpClock(2);
    await shop.simulator.settled();
    expect(await time.runAt((await dueOf(shop, orderNo))!)).toMatchObject({ News: 1 });
    await shop.pump();
    shop.simulator.jumpClock(700);
    await shop.simulator.settled();
    shop.simulator.clearFaults();
    await shop.pump();
    const events = await eventsIn(shop);
    expect(events.filter((event) => event.includes("success"))).toEqual([
      `${orderNo} payment.order.success query`,
    ]);
  });

  test("that was called back first publish one event, and nothing is asked", async () => {
    const { orderNo, paymentId } = await created(shop);
    const due = (await dueOf(shop, orderNo))!;
    await shop.pay(paymentId);
    const line = await time.runAt(due);
    expect(line).not.toHaveProperty("Answered");
    const events = await eventsIn(shop);
    expect(events.filter((event) => event.includes("success"))).toEqual([
      `${orderNo} payment.order.success callback`,
    ]);
  });

  test("that are in the inbox together publish one event", async () => {
    const { orderNo, paymentId } = await created(shop);
    const due = (await dueOf(shop, orderNo))!;
    shop.simulator.pay(paymentId);
    shop.simulator.jumpClock(2);
    await shop.simulator.settled();
    expect(await time.runAt(due)).toMatchObject({ News: 1 });
    await shop.pump();
    const events = await eventsIn(shop);
    expect(events.filter((event) => event.includes("success"))).toHaveLength(1);
  });
});

describe("an order without an end", () => {
  test("is unresolved after eight days, and a late success takes the flag off", async () => {
    const shop = await makeShop(daysLater);
    const { orderNo, paymentId } = await created(shop);
    const time = timeOf(shop);
    const expiry = (await dueOf(shop, orderNo))! - 2 * minute;
    // test/shared/orders/due.property.test.ts has the checks between them.
    expect(await time.runAt(expiry + 7 * day)).not.toHaveProperty("Unresolved");
    const last = (await dueOf(shop, orderNo))!;
    expect(last - expiry).toBeGreaterThanOrEqual(8 * day);
    const aggregateKeys = [`${shop.world.merchant.merchantId}#order#${orderNo}`];
    expect(await time.runAt(last)).toMatchObject({ Unresolved: 1, aggregateKeys });
    expect(await dueOf(shop, orderNo)).toBeUndefined();
    expect(await shop.order(orderNo)).toMatchObject({ status: "pending", flags: ["unresolved"] });
    const attention = { kind: "unresolved", orderNo };
    expect(await openNotices(shop.world)).toMatchObject([{ attention }]);
    const { body } = await shop.get(`/orders/${orderNo}`);
    expect(body).toMatchObject({ status: "pending", flags: ["unresolved"] });
    await payInSilence(shop, paymentId);
    time.moveTo(time.now() + minute);
    await shop.get(`/orders/${orderNo}`);
    await shop.pump();
    expect(await shop.order(orderNo)).toMatchObject({ status: "success", flags: [] });
    const [event] = await eventsOf(shop.world, "books");
    expect(event).toMatchObject({ data: { flags: [], order: { flags: [] } } });
    expect(await openNotices(shop.world)).toEqual([]);
    const [ended] = await notices(shop.world);
    expect(ended).toMatchObject({ kind: "unresolved", orderNo, endedAt: expect.any(String) });
    expect(ended).toHaveProperty("expiresAt");
  });
});
