import { describe, expect, test } from "vitest";
import { writes } from "../integration/fault-proxy.ts";
import { logOf, openNotices } from "../integration/flow.ts";
import { linkedPayment, refundFact, statusFact } from "../shared/orders/facts.ts";
import { makeOpensslShop, paymentData, success } from "./openssl-shop.ts";
import { orderBody, orderNoOf } from "./order.ts";
import { reportPayment, reportRefund, save } from "./report.ts";
import { type Shop, useShops } from "./shop.ts";

const makeShop = useShops();
const money = { value: "12.50", minor: "1250", currency: "USD" };

/** A service that returns the payment P1 for every order, and knows it as pending. */
const onePayment = async (beforeAnswer: () => Promise<void> = async () => {}) => {
  const { shop } = await makeOpensslShop(makeShop, {}, async ({ method }) => {
    if (method === "service.trade.query") return success({ status: "pending" });
    await beforeAnswer();
    return success(paymentData);
  });
  return shop;
};

const lastLine = async (shop: Shop) => logOf(await shop.creator()).at(-1);

describe("a payment that is linked to another order", () => {
  test("stays there: the create is 504, and the second claim is counted with the payment's id", async () => {
    const shop = await onePayment();
    await save(shop.world, linkedPayment({ order: { orderNo: "ANOTHER", expected: money } }));
    const body = orderBody();
    const orderNo = orderNoOf(body);
    const created = await shop.create(body);
    expect(created).toMatchObject({ status: 504 });
    const line = { paymentId: "P1", orderNo, PaymentClaimedTwice: 1 };
    expect(await lastLine(shop)).toMatchObject(line);
    expect(await shop.payment("P1")).toMatchObject({ order: { orderNo: "ANOTHER" } });
    const attention = { kind: "claimed-twice", orderNo, paymentId: "P1" };
    expect(await openNotices(shop.world)).toMatchObject([{ attention }]);
  });

  test("never pays for the order that claimed it, and brings neither refunds nor flags", async () => {
    const shop = await onePayment();
    await save(shop.world, linkedPayment({ order: { orderNo: "ANOTHER", expected: money } }));
    await reportRefund(shop.world, refundFact({ amount: { value: "13.00" } }));
    const body = orderBody();
    await shop.create(body);
    expect(await shop.order(orderNoOf(body))).toMatchObject({ paymentIds: [] });
    const found = await shop.get(`/orders/${orderNoOf(body)}`);
    const nothing = { refunds: [], flags: [], payments: [], outcomeUnknown: true };
    expect(found.body).toMatchObject({ status: "pending", ...nothing });
  });

  test("is not counted twice when the same order gets it again", async () => {
    const shop = await onePayment();
    const { faults } = await shop.creator();
    faults.fail(writes, { kind: "lose-answer" }, { skip: 1, times: 1 });
    expect(await shop.create()).toMatchObject({ status: 201 });
    expect(await lastLine(shop)).not.toHaveProperty("PaymentClaimedTwice");
  });
});

describe("refunds that were reported before their payment is linked", () => {
  test("get the order's currency, and are the order's", async () => {
    const shop = await onePayment();
    await reportRefund(shop.world, refundFact({ amount: { value: "2.5" } }));
    const amount = { value: "2.50", minor: "250", currency: "EUR" };
    expect((await shop.create()).body).toMatchObject({
      refunds: [{ refundId: "R1", paymentId: "P1", amount }],
      refundedAmount: amount,
      flags: [],
      sequence: 0,
      payments: [{ paymentId: "P1", sequence: 1 }],
    });
    expect(await lastLine(shop)).not.toHaveProperty("Mismatch");
  });

  test("make the open order due at once, and are held against its end", async () => {
    const shop = await onePayment();
    await reportRefund(shop.world, refundFact({ amount: { value: "25.01" } }));
    const body = orderBody();
    expect(await shop.create(body)).toMatchObject({ status: 201, body: { flags: [] } });
    expect(await lastLine(shop)).not.toHaveProperty("Mismatch");
    const { dueAtMilliseconds } = (await shop.order(orderNoOf(body)))!;
    expect(dueAtMilliseconds).toBeLessThanOrEqual(Date.now());
  });

  test("and do not fit to an end that was reported before, too, are flagged and counted", async () => {
    const body = orderBody();
    const shop: Shop = await onePayment(async () => {
      await reportPayment(shop.world, statusFact("failed", { orderNo: orderNoOf(body) }));
    });
    await reportRefund(shop.world, refundFact({ amount: { value: "2.5" } }));
    expect(await shop.create(body)).toMatchObject({ status: 201, body: { flags: ["mismatch"] } });
    expect(await lastLine(shop)).toMatchObject({ outcome: "answered", Mismatch: 1 });
    const attention = { kind: "mismatch", orderNo: orderNoOf(body), paymentId: "P1" };
    expect(await openNotices(shop.world)).toMatchObject([{ attention }]);
    expect((await shop.get(`/orders/${orderNoOf(body)}`)).body["flags"]).toEqual(["mismatch"]);
  });
});

describe("the status that the service gives a new payment", () => {
  test.each([
    ["confirming", { serviceStatus: "confirming", UnexpectedStatus: 1 }],
    ["pending", {}],
    [undefined, {}],
  ])("%s is remarkable unless it is pending", async (status, logged) => {
    const { shop } = await makeOpensslShop(makeShop, {}, () => success({ ...paymentData, status }));
    expect(await shop.create()).toMatchObject({ status: 201, body: { status: "pending" } });
    const line = await lastLine(shop);
    expect(line).toMatchObject({ outcome: "answered", ...logged });
    if (status !== "confirming") expect(line).not.toHaveProperty("UnexpectedStatus");
  });
});
