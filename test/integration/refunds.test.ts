import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { PaycastEvent } from "../../shared/events/event.ts";
import { anAttempt } from "../shared/orders/facts.ts";
import { euros, refundData, storeLinkedPayment, storeOrder } from "./aggregates.ts";
import { type Fields, queuedPayment, queuedRefund } from "./callbacks.ts";
import { eventsOf, logOf, orderItem, paymentItem, process } from "./flow.ts";
import type { Instance } from "./instance.ts";
import type { Queued } from "./lambda-events.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
let world: World;
let processor: Instance;
let orderNo: string;
let paymentId: string;
beforeAll(async () => {
  world = await makeWorld();
  processor = await world.start("process-callback");
});
beforeEach(() => {
  orderNo = randomUUID();
  paymentId = randomUUID().slice(4);
});

const payment = () => queuedPayment(world, { referOrderNo: orderNo });
const refund = (fact: Fields = {}) => queuedRefund(world, { refundId: "R1", paymentId, ...fact });

/** The payment of an order that create-order has made, linked as it does. */
async function linkPayment() {
  await storeLinkedPayment(world, paymentId, { orderNo, expected: euros("129.95") });
}

async function processAll(...messages: readonly Queued[]): Promise<PaycastEvent[]> {
  for (const message of messages) expect(await process(processor, message)).toEqual([]);
  return await eventsOf(world, "books");
}

test("a refund of a payment that nobody knows is kept and published, its amount without currency", async () => {
  const [event] = await processAll(refund());
  expect(event).toMatchObject({ type: "payment.refund.success", sequence: "0000000001" });
  expect(event).not.toHaveProperty("subject");
  expect(event!.data).toMatchObject({ paymentId, flags: ["unknownOrder"] });
  expect(event!.data.amount).toEqual({ value: "29.95" });
  expect(logOf(processor).at(-1)).toMatchObject({ UnknownOrder: 1 });
  expect(await paymentItem(world, paymentId)).toMatchObject({
    sequence: 1,
    refunds: { R1: { paymentId } },
  });
});

test("a refund of a linked payment names its order, and its amount has the order's currency", async () => {
  await linkPayment();
  const [event] = await processAll(refund());
  expect(event).toMatchObject({ subject: orderNo, sequence: "0000000001" });
  expect(event!.partitionkey).toMatch(/^[0-9a-f]{64}$/);
  expect(event!.data.flags).toEqual([]);
  expect(event!.data.amount).toEqual(euros("29.95"));
  expect(refundData(event).payment).toMatchObject({
    paymentId,
    orderNo,
    refunds: [{ refundId: "R1", status: "refund_success" }],
    refundedAmount: euros("29.95"),
  });
});

test("a refund never touches the order's item, nor a payment callback the payment's", async () => {
  await linkPayment();
  const before = await paymentItem(world, paymentId);
  await processAll(payment());
  expect(await paymentItem(world, paymentId)).toEqual(before);
  const order = await orderItem(world, orderNo);
  await processAll(refund());
  expect(await orderItem(world, orderNo)).toEqual(order);
});

test("a refund whose transaction is reported late is one event", async () => {
  await linkPayment();
  const events = await processAll(refund({ transactionId: null }), refund({ transactionId: "T9" }));
  expect(events).toHaveLength(1);
  expect(await paymentItem(world, paymentId)).toMatchObject({
    refunds: { R1: { transactionId: "T9" } },
  });
});

test("a refund's callback with an order number in it is still the payment's", async () => {
  await linkPayment();
  const message = refund({ referOrderNo: orderNo });
  expect(message.group).toBe(refund().group);
  await processAll(message);
  expect(await orderItem(world, orderNo)).toBeUndefined();
});

test("each refund has a status of its own, which only moves up", async () => {
  await linkPayment();
  const events = await processAll(
    refund({ refundId: "R2", status: "refund_success", refundAmount: 20 }),
    refund({ refundId: "R2", status: "refund_failed", refundAmount: 20 }),
    refund({ refundId: "R1", status: "refund_failed", refundAmount: 10 }),
    refund({ refundId: "R1", status: "refund_success", refundAmount: 10 }),
  );
  expect(events.map(({ data }) => data.flags)).toEqual([[], ["regressed"], [], []]);
  const last = refundData(events.at(-1)).payment;
  expect(last.refunds.map(({ refundId, status }) => [refundId, status])).toEqual([
    ["R1", "refund_success"],
    ["R2", "refund_success"],
  ]);
  expect(last.refundedAmount).toEqual({ value: "30.00", minor: "3000", currency: "EUR" });
});

test("more refunded than paid is a mismatch", async () => {
  await linkPayment();
  await processAll(payment());
  const more = [refund({ refundAmount: 100 }), refund({ refundId: "R2", refundAmount: 29.96 })];
  const events = await processAll(...more);
  expect(events.map(({ data }) => data.flags)).toEqual([[], ["mismatch"]]);
  expect(logOf(processor).at(-1)).toMatchObject({ Mismatch: 1, paymentId });
});

/** The order and its payment, as create-order stores both. */
async function createOrder() {
  await linkPayment();
  await storeOrder(world, orderNo, {
    expected: euros("129.95"),
    paymentIds: [paymentId],
    state: { kind: "open", waitingSinceMilliseconds: Date.now() },
    attempts: [anAttempt({ paymentId })],
    creation: {
      content: { channel: "hash" },
      channel: "WEB",
      paymentId,
      callbackUrl: "https://example.com/callbacks",
      expiresAtMilliseconds: Date.now() + 3_600_000,
    },
  });
}

const ended = (status: string, fact: Fields = {}) =>
  queuedPayment(world, { referOrderNo: orderNo, status, ...fact });

test.each([
  ["failed", { status: "failed" }],
  ["timed out", { status: "timeout" }],
  ["was paid less", { status: "success", paymentAmount: 1 }],
])("a refund of an order that %s is a mismatch", async (_case, { status, ...fact }) => {
  await createOrder();
  const [, event] = await processAll(ended(status, fact), refund());
  expect(event!.data).toMatchObject({ status: "refund_success", flags: ["mismatch"] });
});

test("a refund of an open order makes it due at once, and the order's end reports that it does not fit", async () => {
  await createOrder();
  const [event] = await processAll(refund());
  expect(event!.data.flags).toEqual([]);
  const { dueAtMilliseconds, dueShard } = (await orderItem(world, orderNo))!;
  expect(dueAtMilliseconds).toBeLessThanOrEqual(Date.now());
  expect(dueShard).toMatch(/^[0-7]$/);
  const [confirming, failed] = await processAll(ended("confirming"), ended("failed"));
  expect(confirming!.data.flags).toEqual([]);
  expect(failed!.data.flags).toEqual(["mismatch"]);
  expect(logOf(processor).at(-1)).toMatchObject({ Mismatch: 1, orderNo });
});

test("an amount that has more decimals than the payment's currency is kept as reported, as a mismatch", async () => {
  await linkPayment();
  const [event] = await processAll(refund({ refundAmount: "1.005" }));
  expect(event!.data).toMatchObject({ amount: { value: "1.005" }, flags: ["mismatch"] });
});

test.each(["constructor", "toString", "refunds.x", "#r", ":r", "退款😀"])(
  "a refund may have any id: %s",
  async (refundId) => {
    await linkPayment();
    const events = await processAll(
      refund({ refundId, status: "refund_failed" }),
      refund({ refundId }),
      refund({ refundId: "OTHER", refundAmount: 1 }),
    );
    expect(events.map(({ data }) => data.flags)).toEqual([[], [], []]);
    const { refunds, refundedAmount } = refundData(events.at(-1)).payment;
    expect(refunds.map((candidate) => candidate.refundId).sort()).toEqual(
      ["OTHER", refundId].sort(),
    );
    expect(refundedAmount).toMatchObject({ value: "30.95" });
  },
);
