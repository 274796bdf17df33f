import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { PaycastEvent } from "../../shared/events/event.ts";
import { orderKeyOf, paymentKeyOf } from "../../shared/orders/order.ts";
import { getItem, putItem } from "./aws-stores.ts";
import { type Fields, queuedPayment, queuedRefund } from "./callbacks.ts";
import { eventsOf, logOf, process } from "./flow.ts";
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

/** The pointer from a payment to its order, as create-order writes it. */
async function linkPayment() {
  const { merchantId } = world.merchant;
  await putItem(world.dynamodb, world.tables.orders, {
    orderKey: paymentKeyOf(merchantId, paymentId),
    linkedTo: orderKeyOf(merchantId, orderNo),
    merchantId,
    orderNo,
  });
}

async function processAll(...messages: readonly Queued[]): Promise<PaycastEvent[]> {
  for (const message of messages) expect(await process(processor, message)).toEqual([]);
  // An order's payments and a payment's refunds are two groups, which a queue hands out in any order.
  const events = await eventsOf(world, "books");
  return events.sort((one, other) => Number(one.sequence) - Number(other.sequence));
}

test("a refund of a payment that nobody knows is kept and published, its amount without currency", async () => {
  const [event] = await processAll(refund());
  expect(event).toMatchObject({ type: "payment.refund.success", sequence: "0000000001" });
  expect(event).not.toHaveProperty("subject");
  expect(event!.data).toMatchObject({ paymentId, flags: ["unknownOrder"] });
  expect(event!.data.amount).toEqual({ value: "29.95" });
  expect(logOf(processor).at(-1)).toMatchObject({ UnknownOrder: 1 });
  const orderKey = paymentKeyOf(world.merchant.merchantId, paymentId);
  const kept = await getItem(world.dynamodb, world.tables.orders, { orderKey });
  expect(kept).toMatchObject({ version: 1, refunds: { R1: { paymentId } } });
});

test("a refund finds its order through the pointer, and its amount the payment's currency", async () => {
  await linkPayment();
  const [, event] = await processAll(payment(), refund());
  expect(event).toMatchObject({ subject: orderNo, sequence: "0000000002" });
  expect(event!.data.flags).toEqual([]);
  expect(event!.data.amount).toEqual({ value: "29.95", minor: "2995", currency: "EUR" });
  expect(event!.data.order).toMatchObject({
    orderNo,
    status: "success",
    refunds: [{ refundId: "R1", status: "refund_success" }],
    refundedAmount: { value: "29.95", minor: "2995", currency: "EUR" },
  });
});

test("a refund that comes before its payment's callback does not change how the order ends", async () => {
  await linkPayment();
  const [first, second] = await processAll(refund(), payment());
  expect(first!.data.order.status).toBe("pending");
  expect(second!.data.order).toMatchObject({ status: "success", refunds: [{ paymentId }] });
});

test("each refund has a status of its own, which only moves up", async () => {
  await linkPayment();
  const events = await processAll(
    payment(),
    refund({ refundId: "R2", status: "refund_success", refundAmount: 20 }),
    refund({ refundId: "R2", status: "refund_failed", refundAmount: 20 }),
    refund({ refundId: "R1", status: "refund_failed", refundAmount: 10 }),
    refund({ refundId: "R1", status: "refund_success", refundAmount: 10 }),
  );
  expect(events.slice(1).map(({ data }) => data.flags)).toEqual([[], ["regressed"], [], []]);
  const last = events.at(-1)!.data.order;
  expect(last.refunds.map(({ refundId, status }) => [refundId, status])).toEqual([
    ["R1", "refund_success"],
    ["R2", "refund_success"],
  ]);
  expect(last.refundedAmount).toEqual({ value: "30.00", minor: "3000", currency: "EUR" });
});

test("more refunded than paid is a mismatch", async () => {
  await linkPayment();
  const more = [refund({ refundAmount: 100 }), refund({ refundId: "R2", refundAmount: 29.96 })];
  const events = await processAll(payment(), ...more);
  expect(events.map(({ data }) => data.flags.includes("mismatch"))).toEqual([false, false, true]);
});

test("an amount that has more decimals than the payment's currency is kept as told, as a mismatch", async () => {
  await linkPayment();
  const [, event] = await processAll(payment(), refund({ refundAmount: "1.005" }));
  expect(event!.data).toMatchObject({ amount: { value: "1.005" }, flags: ["mismatch"] });
});

test.each(["constructor", "toString", "refunds.x", "#r", ":r", "退款😀"])(
  "a refund may have any id: %s",
  async (refundId) => {
    await linkPayment();
    const events = await processAll(
      payment(),
      refund({ refundId, status: "refund_failed" }),
      refund({ refundId }),
      refund({ refundId: "OTHER", refundAmount: 1 }),
    );
    expect(events.map(({ data }) => data.flags)).toEqual([["unknownOrder"], [], [], []]);
    const { refunds, refundedAmount } = events.at(-1)!.data.order;
    expect(refunds.map((one) => one.refundId).sort()).toEqual(["OTHER", refundId].sort());
    expect(refundedAmount).toMatchObject({ value: "30.95" });
  },
);
