import { describe, expect, test } from "vitest";
import { creationLeaseMilliseconds as lease } from "../../shared/timing.ts";
import { paymentCallback } from "../integration/callbacks.ts";
import { writes } from "../integration/fault-proxy.ts";
import { eventsOf, messagesOf } from "../integration/flow.ts";
import { invokeAndSkip } from "./invoke-and-skip.ts";
import { makeBarrier, makeOpensslShop, paymentData, success } from "./openssl-shop.ts";
import { orderBody, orderNoOf } from "./order.ts";
import { type Shop, useShops } from "./shop.ts";

const makeShop = useShops();

const madeOnce = async (shop: Shop) => {
  await expect.poll(() => shop.simulator.orders().length, { timeout: 9_000 }).toBe(1);
  return shop.simulator.orders()[0]!.paymentId;
};

async function tell(shop: Shop): Promise<void> {
  shop.simulator.jumpClock(2);
  await shop.simulator.settled();
  await shop.pump();
}

describe("a callback that comes before the answer of create is stored", () => {
  test("is not lost under it: the status stands, and the payment leads to the order", async () => {
    const barrier = makeBarrier();
    const { shop, service } = await makeOpensslShop(makeShop, {}, async () => {
      await barrier.opened;
      return success(paymentData);
    });
    const body = orderBody();
    const orderNo = orderNoOf(body);
    await Promise.all([shop.creator(), shop.receiver(), shop.processor()]);
    const creating = shop.create(body);
    await expect.poll(() => service.requests.length, { timeout: 9_000 }).toBe(1);
    const result = { referOrderNo: orderNo, paymentAmount: 25, currency: "EUR", status: "success" };
    expect((await shop.receive(paymentCallback(shop.world, result))).status).toBe(200);
    await shop.pump();
    expect(await shop.order(orderNo)).toMatchObject({
      attempts: [{ state: "sending" }],
      status: "success",
    });
    expect(await shop.create(body)).toMatchObject({ status: 200, body: { status: "success" } });
    barrier.open();
    expect(await creating).toMatchObject({ status: 201, body: { paymentId: "P1" } });
    expect((await shop.get("/payments/P1")).body).toMatchObject({
      orderNo,
      status: "success",
      statusOrigin: "callback",
      flags: [],
      payments: [{ paymentId: "P1" }],
      sequence: 1,
    });
    const paid = { paymentId: "P1", status: "success" };
    expect(await shop.create(body)).toMatchObject({ status: 200, body: paid });
    expect(await messagesOf(shop.world, "books")).toHaveLength(1);
  });

  test("is right in the end too if the answer comes first", async () => {
    const shop = await makeShop();
    const body = orderBody();
    const { body: created } = await shop.create(body);
    await shop.pay(String(created["paymentId"]));
    expect((await shop.get(`/orders/${orderNoOf(body)}`)).body).toMatchObject({
      status: "success",
      flags: [],
      payments: [{ paymentId: created["paymentId"] }],
      sequence: 2,
    });
  });

  test("is right whichever of many writes comes first", async () => {
    const shop = await makeShop({ instances: 2, simulator: { processingSeconds: 0 } });
    await Promise.all([shop.processor(), shop.create()]);
    const bodies = Array.from({ length: 6 }, () => orderBody());
    const numbers = new Set(bodies.map(orderNoOf));
    const creating = Promise.all(bodies.map((body) => shop.create(body)));
    const paid = new Set<string>();
    const payNew = async () => {
      const orders = shop.simulator.orders().filter(({ orderNo }) => numbers.has(orderNo));
      for (const { paymentId } of orders.filter((order) => !paid.has(order.paymentId))) {
        paid.add(paymentId);
        shop.simulator.pay(paymentId);
      }
      await shop.pump();
      return paid.size;
    };
    await expect.poll(payNew, { timeout: 15_000 }).toBe(bodies.length);
    expect((await creating).map(({ status }) => status)).toEqual(bodies.map(() => 201));
    await shop.simulator.settled();
    await shop.pump();
    for (const [index, body] of bodies.entries()) {
      const { paymentId } = (await creating)[index]!.body;
      const { body: order } = await shop.get(`/payments/${paymentId}`);
      expect(order).toMatchObject({ orderNo: orderNoOf(body), status: "success", sequence: 2 });
      expect(order["flags"]).not.toContain("unknownOrder");
    }
  });
});

describe("a refund that is reported before its payment is linked", () => {
  /** Created, paid and refunded at the service while the answer of create has not been stored. */
  async function refundEarly(shop: Shop, body: object, amount: string): Promise<string> {
    const creator = await shop.creator();
    const { faults } = creator;
    const error = { status: 500, type: "InternalServerError" };
    faults.fail(writes, { kind: "refuse", error }, { skip: 1 });
    const event = { body: JSON.stringify(body), isBase64Encoded: false };
    const outcome = await invokeAndSkip(creator, event);
    expect(outcome).toMatchObject({ value: { statusCode: 504 } });
    faults.heal();
    const paymentId = await madeOnce(shop);
    shop.simulator.addFault({ kind: "lose" });
    shop.simulator.pay(paymentId);
    shop.simulator.jumpClock(2);
    await shop.simulator.settled();
    shop.simulator.clearFaults();
    shop.simulator.refund(paymentId, { amount });
    await tell(shop);
    return paymentId;
  }

  test("is published as of an unknown order, then linked with the order's currency", async () => {
    const shop = await makeShop();
    const body = orderBody();
    const paymentId = await refundEarly(shop, body, "5.00");
    const [early] = await eventsOf(shop.world, "books");
    expect(early).toMatchObject({
      type: "payment.refund.success",
      data: { paymentId, amount: { value: "5" }, flags: ["unknownOrder"] },
    });
    (await shop.creator()).advance(lease);
    expect(await shop.create(body)).toMatchObject({ status: 201, body: { paymentId } });
    expect((await shop.get(`/payments/${paymentId}`)).body).toMatchObject({
      orderNo: orderNoOf(body),
      refunds: [{ paymentId, amount: { value: "5.00", minor: "500", currency: "EUR" } }],
      refundedAmount: { value: "5.00", minor: "500", currency: "EUR" },
      payments: [{ paymentId, sequence: 1 }],
      flags: ["refunded"],
    });
    shop.simulator.refund(paymentId, { amount: "1.00" });
    await tell(shop);
    const events = await eventsOf(shop.world, "books");
    const later = events.find(({ type }) => type === "payment.refund.success");
    expect(later).toMatchObject({ subject: orderNoOf(body) });
    expect(later?.data).toMatchObject({
      flags: [],
      payment: { refundedAmount: { value: "6.00", minor: "600", currency: "EUR" } },
    });
  });

  test.each(["die-before", "die-after"] as const)(
    "is linked together with the order or not at all if the function dies then: %s",
    async (kind) => {
      const shop = await makeShop();
      const body = orderBody();
      const paymentId = await refundEarly(shop, body, "5.00");
      const creator = await shop.creator();
      creator.advance(lease);
      // The attempt, then a write that finds the refunded payment, then the one that links it.
      creator.faults.fail(writes, { kind }, { skip: 2 });
      expect((await shop.create(body)).status).toBe(500);
      (await shop.replace("create-order")).advance(3 * lease);
      const repeated = await shop.create(body);
      expect(repeated).toMatchObject({
        status: kind === "die-before" ? 201 : 200,
        body: { paymentId },
      });
      expect((await shop.get(`/payments/${paymentId}`)).body).toMatchObject({
        orderNo: orderNoOf(body),
        payments: [{ paymentId }],
        refunds: [{ paymentId }],
      });
    },
  );
});

describe("an amount that differs from the order's", () => {
  test("is published, and flagged as soon as somebody pays", async () => {
    const shop = await makeShop();
    const body = orderBody();
    const { body: created } = await shop.create(body);
    shop.simulator.addFault({ kind: "wrong-amount" });
    await shop.pay(String(created["paymentId"]));
    const events = await eventsOf(shop.world, "books");
    expect(events.map(({ data }) => data.flags)).toEqual([["mismatch"], ["mismatch"]]);
    expect((await shop.get(`/orders/${orderNoOf(body)}`)).body).toMatchObject({
      status: "success",
      amount: { value: "25.00" },
      paidAmount: { value: "25.01" },
      flags: ["mismatch"],
    });
  });
});
