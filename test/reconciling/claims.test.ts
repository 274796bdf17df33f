import { describe, expect, test } from "vitest";
import { to } from "../integration/fault-proxy.ts";
import { logOf } from "../integration/flow.ts";
import { successFact } from "../shared/orders/facts.ts";
import { HttpReply } from "../storefront/openssl-service.ts";
import { makeBarrier, makeOpensslShop, success } from "../storefront/openssl-shop.ts";
import { reportPayment } from "../storefront/report.ts";
import { useShops } from "../storefront/shop.ts";
import { dueOrder, store, storeDue } from "./due-orders.ts";
import { dueOf, hour, minute, timeOf } from "./overdue.ts";

const makeShop = useShops();
const pending = success({ status: "pending" });

describe("a second run", () => {
  test("while one is running asks nothing and says why", async () => {
    const barrier = makeBarrier();
    const { shop, service } = await makeOpensslShop(makeShop, {}, () => pending);
    await storeDue(shop, 3);
    const [first, second] = [await shop.reconciler(), await shop.start("reconcile-orders")];
    const queries = to("dynamodb", "Query");
    first.faults.fail(queries, { kind: "hold", until: barrier.opened });
    const running = first.invoke({}, 50_000);
    await expect.poll(() => first.faults.calls.some(queries), { timeout: 9_000 }).toBe(true);
    await second.invoke({}, 50_000);
    expect(logOf(second)).toMatchObject([{ outcome: "lease-held" }]);
    expect(logOf(second)[0]).not.toHaveProperty("OldestDueSeconds");
    expect(service.requests).toHaveLength(0);
    barrier.open();
    await running;
    expect(logOf(first)).toMatchObject([{ outcome: "reconciled", Answered: 3 }]);
  });

  test("that begins in the same moment asks nothing", async () => {
    const { shop, service } = await makeOpensslShop(makeShop, {}, () => pending);
    await storeDue(shop, 2);
    const runs = [await shop.reconciler(), await shop.start("reconcile-orders")];
    await Promise.all(runs.map((run) => run.invoke({}, 50_000)));
    const outcomes = runs.flatMap(logOf).map(({ outcome }) => outcome);
    expect(outcomes.sort()).toEqual(["lease-held", "reconciled"]);
    expect(service.requests).toHaveLength(2);
  });

  test("may begin when the lease of a run that died is over", async () => {
    const barrier = makeBarrier();
    const { shop, service } = await makeOpensslShop(makeShop, {}, () =>
      barrier.opened.then(() => pending),
    );
    const [first = "", second = ""] = await storeDue(shop, 2);
    const reconciler = await shop.reconciler();
    void reconciler.invoke({}, 50_000);
    await expect.poll(() => service.requests.length, { timeout: 9_000 }).toBe(1);
    await reconciler.stop();
    barrier.open();
    const next = await shop.replace("reconcile-orders");
    next.advance(minute);
    await next.invoke({}, 50_000);
    // The order that was being asked about waits as after a failure, so it does not hold up the others.
    expect(logOf(next)).toMatchObject([{ outcome: "reconciled", Answered: 1 }]);
    expect(service.requests.at(-1)?.body).toEqual({ paymentId: `P-${second}` });
    expect(await dueOf(shop, first)).toBeGreaterThan(Date.now() + 7 * minute);
  });
});

describe("an order that GET has asked about", () => {
  test("is left as it is while the claim lasts, and a later run asks", async () => {
    let isDown = true;
    const { shop, service } = await makeOpensslShop(makeShop, {}, () =>
      isDown ? new HttpReply(500, {}) : pending,
    );
    await store(shop, [dueOrder(shop, { orderNo: "ASKED", lateMilliseconds: hour })]);
    const time = timeOf(shop);
    expect((await shop.get("/orders/ASKED")).body).toMatchObject({ stale: true });
    isDown = false;
    const [before, asked] = [await shop.order("ASKED"), service.requests.length];
    // Set back, the clock stays inside the claim however slow the machine is.
    expect(await time.runAt(time.now() - minute)).not.toHaveProperty("Answered");
    expect(await shop.order("ASKED")).toEqual(before);
    expect(service.requests).toHaveLength(asked);
    expect(await time.runAt(time.now() + 3 * minute)).toMatchObject({ Answered: 1 });
  });
});

describe("an order that GET has just got an answer about", () => {
  test("is checked all the same, or a page that asks again and again would prevent it", async () => {
    const { shop } = await makeOpensslShop(makeShop, {}, () => pending);
    await store(shop, [dueOrder(shop, { orderNo: "ASKED", lateMilliseconds: hour })]);
    const time = timeOf(shop);
    expect((await shop.get("/orders/ASKED")).body).toMatchObject({ stale: false });
    expect(await time.runAt(time.now() - minute)).toMatchObject({ Answered: 1 });
  });
});

describe("a callback that is recorded while a run is asking", () => {
  test("is not overwritten by the answer that comes after it", async () => {
    const { shop } = await makeOpensslShop(makeShop, {}, async () => {
      const { merchantId } = shop.world.merchant;
      const paid = { value: "25.00", minor: "2500", currency: "EUR" };
      await reportPayment(shop.world, successFact({ merchantId, orderNo: "DUE-0", amount: paid }));
      return pending;
    });
    await storeDue(shop, 1);
    const time = timeOf(shop);
    expect(await time.run()).toMatchObject({ outcome: "reconciled", Answered: 1 });
    // Stored, claimed, reported: the answer wrote nothing.
    expect(await shop.order("DUE-0")).toMatchObject({ status: "success", revision: 3 });
  });
});

describe("an order with several payments", () => {
  test("is asked about each of them, each time under a claim that outlives the question", async () => {
    const claims: { endsAt: number; askedAt: number }[] = [];
    const { shop, service } = await makeOpensslShop(makeShop, {}, async () => {
      const askedAt = Date.now();
      const { question } = (await shop.order("MANY"))!;
      if (question.kind === "asking") claims.push({ endsAt: question.untilMilliseconds, askedAt });
      return pending;
    });
    const paymentIds = ["P1", "P2", "P3"];
    const order = dueOrder(shop, { orderNo: "MANY", lateMilliseconds: 1_000, paymentIds });
    await store(shop, [order]);
    const time = timeOf(shop);
    expect(await time.run()).toMatchObject({ Answered: 3 });
    expect(service.requests.map(({ body }) => body["paymentId"]).sort()).toEqual(paymentIds);
    const [first, two, three] = claims.map(({ endsAt }) => endsAt);
    expect(two).toBeGreaterThan(first!);
    expect(three).toBeGreaterThan(two!);
    for (const { endsAt, askedAt } of claims) expect(endsAt - askedAt).toBeGreaterThan(8_000);
  });

  test("is due at once after news of a payment that it does not follow, and then waits as usual", async () => {
    const { shop } = await makeOpensslShop(makeShop, {}, ({ body }) =>
      body["paymentId"] === "P1" ? success({ status: "timeout" }) : pending,
    );
    const paymentIds = ["P1", "P2"];
    await store(shop, [dueOrder(shop, { orderNo: "MANY", lateMilliseconds: hour, paymentIds })]);
    const time = timeOf(shop);
    expect(await time.run()).toMatchObject({ Answered: 2, News: 1 });
    await shop.pump();
    expect(await shop.order("MANY")).toMatchObject({ status: "pending", flags: ["otherAttempt"] });
    expect(await dueOf(shop, "MANY")).toBeLessThanOrEqual(time.now());
    const line = await time.runAt(time.now() + minute);
    expect(line).toMatchObject({ Answered: 2 });
    expect(line).not.toHaveProperty("News");
    expect(await dueOf(shop, "MANY")).toBeGreaterThan(time.now() + hour);
  });

  test("and has news of two payments gives both to the inbox", async () => {
    const { shop } = await makeOpensslShop(makeShop, {}, ({ body }) =>
      body["paymentId"] === "P1"
        ? success({ status: "timeout" })
        : success({ status: "success", payAmount: 25, currency: "EUR", transactionId: "T1" }),
    );
    const paymentIds = ["P1", "P2"];
    const order = dueOrder(shop, { orderNo: "MANY", lateMilliseconds: 1_000, paymentIds });
    await store(shop, [order]);
    const time = timeOf(shop);
    expect(await time.run()).toMatchObject({ News: 2 });
    await shop.pump();
    expect(await shop.order("MANY")).toMatchObject({
      status: "success",
      flags: ["otherAttempt"],
      sequence: 2,
    });
    expect(await dueOf(shop, "MANY")).toBeUndefined();
  });
});
