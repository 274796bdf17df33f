import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { describe, expect, test } from "vitest";
import { answerMarginMilliseconds, checkMilliseconds } from "../../shared/timing.ts";
import { randomName } from "../integration/aws-stores.ts";
import { to } from "../integration/fault-proxy.ts";
import { eventsOf, logOf } from "../integration/flow.ts";
import { HttpReply } from "../storefront/openssl-service.ts";
import { makeOpensslShop, success } from "../storefront/openssl-shop.ts";
import { useShops } from "../storefront/shop.ts";
import { storeDue } from "./due-orders.ts";
import { dueOf, minute, timeOf } from "./overdue.ts";

const makeShop = useShops();
const pending = success({ status: "pending" });

const troubles: [answer: unknown, errorCode: string][] = [
  [new HttpReply(500, { code: 50000, msg: "down" }), "gateway-unreadable"],
  [new HttpReply(429, {}, { "retry-after": "1" }), "gateway-busy"],
  ["<html>maintenance</html>", "gateway-unreadable"],
];

describe("while the service is down", () => {
  test("or busy or answers with a page, a run asks twenty times, writes one line, and moves only what it asked about", async () => {
    let answer: unknown;
    const { shop, service } = await makeOpensslShop(makeShop, {}, () => answer);
    const all = await storeDue(shop, 20 * troubles.length + 2);
    const time = timeOf(shop);
    for (const [index, [trouble, errorCode]] of troubles.entries()) {
      answer = trouble;
      service.requests.length = 0;
      time.moveTo(time.now() + minute);
      // The runs before have asked about ten orders from each end.
      const orderNos = all.slice(10 * index, all.length - 10 * index);
      const before = await Promise.all(orderNos.map((orderNo) => shop.order(orderNo)));
      const startedAt = time.now();
      const line = await time.run();
      expect(line).toMatchObject({
        outcome: "ended-by-failures",
        errorName: "GatewayError",
        reason: errorCode,
        Asked: 20,
        QueryFailed: 20,
        OldestDueSeconds: expect.any(Number),
      });
      expect(line["aggregateKeys"]).toHaveLength(5);
      expect(line).not.toHaveProperty("Answered");
      const asked = [...orderNos.slice(0, 10), ...orderNos.slice(-10)];
      expect(service.requests.map(({ body }) => body["paymentId"]).toSorted()).toEqual(
        asked.map((orderNo) => `P-${orderNo}`).toSorted(),
      );
      for (const orderNo of asked) {
        const pause = (await dueOf(shop, orderNo))! - startedAt;
        expect(pause).toBeGreaterThan(7.9 * minute);
        expect(pause).toBeLessThan(13 * minute);
      }
      const after = await Promise.all(orderNos.map((orderNo) => shop.order(orderNo)));
      expect(after.slice(10, -10)).toEqual(before.slice(10, -10));
      expect(after.map((order) => order?.["status"])).toEqual(orderNos.map(() => "pending"));
    }
  });

  test("an order whose question failed is asked again after its pause, not by the next run", async () => {
    let isDown = true;
    const { shop, service } = await makeOpensslShop(makeShop, {}, () =>
      isDown ? new HttpReply(503, {}) : pending,
    );
    const [orderNo = ""] = await storeDue(shop, 1);
    const time = timeOf(shop);
    expect(await time.run()).toMatchObject({ outcome: "reconciled", QueryFailed: 1 });
    isDown = false;
    await time.runAt(time.now() + minute);
    expect(service.requests).toHaveLength(1);
    expect(await time.runAt((await dueOf(shop, orderNo))!)).toMatchObject({ Answered: 1 });
  });
});

test("an answer that cannot be stamped is a failed question, and the order is asked about again", async () => {
  const { shop } = await makeOpensslShop(makeShop, {}, () => success({ status: "failed" }));
  const [orderNo = ""] = await storeDue(shop, 1);
  const Name = randomName("stamp-key");
  await shop.world.secrets.send(new CreateSecretCommand({ Name }));
  const reconciler = await shop.start("reconcile-orders", { STAMP_KEY: Name });
  await reconciler.invoke({}, 50_000);
  expect(logOf(reconciler)).toMatchObject([
    { outcome: "keys-problem", reason: "keys-unset", KeysProblem: 1 },
    { outcome: "reconciled", reason: "keys-unset", Asked: 1, QueryFailed: 1 },
  ]);
  expect(await dueOf(shop, orderNo)).toBeGreaterThan(reconciler.now());
});

test("an answer that is news carries the trace of the run that asked for it", async () => {
  const { shop } = await makeOpensslShop(makeShop, {}, () => success({ status: "failed" }));
  await storeDue(shop, 1);
  const reconciler = await shop.start("reconcile-orders", {
    _X_AMZN_TRACE_ID: "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1",
  });
  await reconciler.invoke({}, 50_000);
  await shop.pump();
  expect(await eventsOf(shop.world, "books")).toMatchObject([
    { traceparent: "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01" },
  ]);
});

describe("when the service is back", () => {
  test("the orders that waited are asked about at five a second, oldest first", async () => {
    let lastAskedAt = 0;
    let isDown = true;
    const { shop, service } = await makeOpensslShop(makeShop, {}, async () => {
      lastAskedAt = (await shop.reconciler()).now();
      return isDown ? new HttpReply(500, {}) : pending;
    });
    const orderNos = await storeDue(shop, 40);
    const time = timeOf(shop);
    await time.run();
    isDown = false;
    time.moveTo(time.now() + minute);
    const startedAt = (await shop.reconciler()).now();
    const line = await time.run();
    expect(line).toMatchObject({ outcome: "reconciled", Answered: 20 });
    expect(service.requests.slice(20).map(({ body }) => body["paymentId"])).toEqual(
      orderNos.slice(10, 30).map((orderNo) => `P-${orderNo}`),
    );
    // Not from the first question: it may arrive later than it was asked. A timer may be early by a millisecond.
    expect(lastAskedAt - startedAt).toBeGreaterThan(19 * 199);
  });
});

describe("a run", () => {
  test("begins no question that it may not be able to end, and moves only what it asked about", async () => {
    const { shop, service } = await makeOpensslShop(makeShop, {}, () => pending);
    const orderNos = await storeDue(shop, 20);
    const before = await Promise.all(orderNos.map((orderNo) => shop.order(orderNo)));
    const reconciler = await shop.reconciler();
    const least = checkMilliseconds + answerMarginMilliseconds;
    await reconciler.invoke({}, least - 1);
    expect(logOf(reconciler)).toMatchObject([{ OldestDueSeconds: expect.any(Number) }]);
    expect(service.requests).toHaveLength(0);
    reconciler.advance(minute);
    await reconciler.invoke({}, least + 1_500);
    const asked = service.requests.length;
    expect(asked).toBeLessThan(10);
    const after = await Promise.all(orderNos.map((orderNo) => shop.order(orderNo)));
    expect(after.slice(asked)).toEqual(before.slice(asked));
  });

  test("that cannot read the index says so without a number of seconds, so that the alarm rings", async () => {
    const { shop } = await makeOpensslShop(makeShop, {}, () => pending);
    const time = timeOf(shop);
    const { faults } = await shop.reconciler();
    const type = "com.amazonaws.dynamodb.v20120810#AccessDeniedException";
    faults.fail(to("dynamodb", "Query"), { kind: "refuse", error: { status: 400, type } });
    const line = await time.run();
    expect(line).toMatchObject({ outcome: "failed", errorName: "AccessDeniedException" });
    expect(line).not.toHaveProperty("OldestDueSeconds");
  });

  test("whose news the inbox does not accept leaves the order for later", async () => {
    const data = { status: "success", payAmount: 25, currency: "EUR", transactionId: "T1" };
    const { shop } = await makeOpensslShop(makeShop, {}, () => success(data));
    const [orderNo = ""] = await storeDue(shop, 1);
    const time = timeOf(shop);
    const { faults } = await shop.reconciler();
    faults.fail(to("sqs"), { kind: "cut" });
    expect(await time.run()).toMatchObject({ QueryFailed: 1, reason: "inbox-unavailable" });
    faults.heal();
    expect(await time.runAt((await dueOf(shop, orderNo))!)).toMatchObject({ News: 1 });
    await shop.pump();
    expect(await shop.order(orderNo)).toMatchObject({ status: "success" });
  });
});
