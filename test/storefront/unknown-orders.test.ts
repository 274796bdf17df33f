import { describe, expect, test } from "vitest";
import { eventsOf } from "../integration/flow.ts";
import { orderBody } from "./order.ts";
import { useShops } from "./shop.ts";

const makeShop = useShops();
const problem = (kind: string) => `urn:paycast:problem:${kind}`;

test.each(["A/1", "№ 7 α&=#%", "訂單-７７８１ 🛒", "../orders", "a%2Fb"])(
  "an order's number may be %s",
  async (orderNo) => {
    const shop = await makeShop();
    expect((await shop.create(orderBody({}, { orderNo }))).status).toBe(201);
    const answer = await shop.get(`/orders/${encodeURIComponent(orderNo)}`);
    expect(answer).toMatchObject({ status: 200, body: { orderNo } });
  },
);

describe("what is not known", () => {
  test.each([
    ["no order", "/orders/NONE"],
    ["another order's longer name", `/orders/${"x".repeat(3_000)}`],
    ["a payment's number", "/orders/M1%23payment%23P1"],
  ])("is 404 as an order: %s", async (_, path) => {
    const shop = await makeShop();
    expect(await shop.get(path)).toMatchObject({
      status: 404,
      body: { type: problem("order-unknown") },
    });
  });

  test("is 404 as a payment, with the service's words", async () => {
    const shop = await makeShop();
    const { status, body } = await shop.get("/payments/NONE");
    expect(status).toBe(404);
    expect(body).toMatchObject({
      type: problem("payment-unknown"),
      service: { code: expect.stringMatching(/^\d+$/), msg: "paymentId is not known" },
    });
    const long = await shop.get(`/payments/${"x".repeat(3_000)}`);
    expect(long).toMatchObject({ status: 404, body: { type: problem("payment-unknown") } });
  });

  test("here but to the service is answered from there, and not kept", async () => {
    const shop = await makeShop();
    const made = shop.simulator.makeOrder({ orderNo: "ELSEWHERE", amount: "12.50" });
    shop.simulator.pay(made.paymentId);
    shop.simulator.stepClock(2);
    await shop.simulator.settled();
    expect(await shop.get(`/payments/${made.paymentId}`)).toMatchObject({
      status: 200,
      body: {
        orderNo: "ELSEWHERE",
        paymentId: made.paymentId,
        status: "success",
        statusOrigin: "query",
        paidAmount: { value: "12.50", minor: "1250", currency: "EUR" },
        sequence: 0,
        stale: false,
      },
    });
    expect(await shop.payment(made.paymentId)).toBeUndefined();
    expect(await shop.order("ELSEWHERE")).toBeUndefined();
    await shop.pump();
    expect(await eventsOf(shop.world, "books")).toEqual([]);
    expect((await shop.get("/orders/ELSEWHERE")).status).toBe(404);
  });

  test("as a payment because it is a refund's number is 404", async () => {
    const shop = await makeShop();
    const paymentId = String((await shop.create()).body["paymentId"]);
    await shop.pay(paymentId);
    const refundId = shop.simulator.refund(paymentId, { amount: "5.00" });
    const answer = await shop.get(`/payments/${refundId}`);
    expect(answer).toMatchObject({ status: 404, body: { type: problem("payment-unknown") } });
  });

  test("anywhere that answers is 503, to be tried again", async () => {
    const shop = await makeShop();
    await shop.simulator.stop();
    const answer = await shop.get("/payments/NONE");
    expect(answer).toMatchObject({ status: 503, body: { type: problem("service-unreachable") } });
    expect(answer.headers.get("retry-after")).toBe("5");
  });
});
