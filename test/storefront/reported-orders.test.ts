import { describe, expect, test } from "vitest";
import { statusFact, successFact } from "../shared/orders/facts.ts";
import { makeOpensslShop, paymentData, success } from "./openssl-shop.ts";
import { orderBody, orderNoOf } from "./order.ts";
import { reportPayment } from "./report.ts";
import { type Answer, useShops } from "./shop.ts";

const makeShop = useShops();
const refusal = { code: 40777, msg: "closed" };

function expectExists(answer: Answer): void {
  expect(answer.status).toBe(409);
  expect(answer.body["type"]).toBe("urn:paycast:problem:order-exists");
  expect(answer.headers.get("retry-after")).toBeNull();
}

/** The same order again: the caller gets what became of it. */
function expectPaid(answer: Answer): void {
  expect(answer).toMatchObject({ status: 200, body: { status: "success" } });
}

describe("an order that the service has reported is not sent: it could be paid twice", () => {
  test.each(["success", "timeout"] as const)(
    "if it was created elsewhere, and is %s",
    async (status) => {
      const { shop, service } = await makeOpensslShop(makeShop);
      const body = orderBody();
      const orderNo = orderNoOf(body);
      const fact =
        status === "success" ? successFact({ orderNo }) : statusFact(status, { orderNo });
      await reportPayment(shop.world, fact);
      expectExists(await shop.create(body));
      expect(service.requests).toEqual([]);
      expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject({
        status,
        // Without a payment id nobody can ask whether a timeout was paid after all.
        stale: status === "timeout",
        outcomeUnknown: false,
        flags: ["unknownOrder"],
        payments: [],
      });
    },
  );

  test("if the answer to its creation was lost", async () => {
    const { shop, service } = await makeOpensslShop(makeShop, {}, () => "no JSON");
    const body = orderBody();
    const orderNo = orderNoOf(body);
    expect((await shop.create(body)).status).toBe(504);
    await reportPayment(shop.world, successFact({ orderNo }));
    expectPaid(await shop.create(body));
    expect(service.requests).toHaveLength(1);
    expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject({
      status: "success",
      outcomeUnknown: false,
    });
  });

  test.each([
    ["with the same content", {}, expectPaid],
    ["with another content", { paymentAmount: 24 }, expectExists],
  ])("if the service had refused it, %s", async (_case, changes, expectAnswer) => {
    const { shop, service } = await makeOpensslShop(makeShop, {}, () => refusal);
    const body = orderBody();
    const orderNo = orderNoOf(body);
    expect((await shop.create(body)).status).toBe(502);
    await reportPayment(shop.world, successFact({ orderNo }));
    expectAnswer(await shop.create({ ...body, ...changes }));
    expect(service.requests).toHaveLength(1);
    expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject({
      status: "success",
      flags: expect.arrayContaining(["refusedOrder"]),
    });
  });

  test("even if the body could no longer be sent as a new order", async () => {
    const { shop, service } = await makeOpensslShop(makeShop, {}, () => "no JSON");
    const body = orderBody({ paymentExpiryTime: Date.now() + 20 * 60_000 });
    expect((await shop.create(body)).status).toBe(504);
    await reportPayment(shop.world, successFact({ orderNo: orderNoOf(body) }));
    (await shop.creator()).advance(30 * 60_000);
    expectPaid(await shop.create(body));
    expect(service.requests).toHaveLength(1);
  });
});

describe("an order that was sent again after a lost answer", () => {
  const firstTime = 1_794_705_000_000;

  test("stays as it is when the first attempt ends, and follows the second", async () => {
    const { shop } = await makeOpensslShop(makeShop, {}, ({ method }, count) => {
      if (method === "service.trade.query") return success({ status: "pending" });
      return count === 1 ? "no JSON" : success({ ...paymentData, paymentId: "P2" });
    });
    const body = orderBody();
    const orderNo = orderNoOf(body);
    expect((await shop.create(body)).status).toBe(504);
    expect((await shop.create(body)).status).toBe(201);
    expect(await shop.order(orderNo)).toMatchObject({
      attempts: [{ state: "unknown" }, { state: "created", paymentId: "P2" }],
    });
    const first = { orderNo, createdAtMilliseconds: firstTime };
    await reportPayment(shop.world, statusFact("timeout", first));
    expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject({
      status: "pending",
      outcomeUnknown: false,
      paymentId: "P2",
      flags: ["otherAttempt"],
      sequence: 1,
    });
    await reportPayment(shop.world, successFact({ ...first, amount: amountOf(body) }));
    expect((await shop.create(body)).body).toMatchObject({
      status: "success",
      flags: ["otherAttempt"],
      sequence: 2,
    });
  });
});

function amountOf(body: Record<string, unknown>) {
  const minor = 100 * Number(body["paymentAmount"]);
  return { value: (minor / 100).toFixed(2), minor: String(minor), currency: "EUR" };
}
