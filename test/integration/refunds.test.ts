import { expect, test } from "vitest";
import { orderKeyOf, paymentKeyOf } from "../../shared/orders/order.ts";
import { getItem, putItem } from "./aws-stores.ts";
import { queuedPayment, queuedRefund } from "./callbacks.ts";
import { eventsOf, logOf, process } from "./flow.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
const paymentId = "PAY20261115000000000000000000042";
const orderNo = "ORDER-2026-000042";

/** The pointer from a payment to its order, as create-order writes it. */
async function linkPayment(world: World) {
  const { merchantId } = world.merchant;
  await putItem(world.dynamodb, world.tables.orders, {
    orderKey: paymentKeyOf(merchantId, paymentId),
    linkedTo: orderKeyOf(merchantId, orderNo),
    merchantId,
    orderNo,
  });
}

test("a refund of a payment that nobody knows is kept and published, its amount without currency", async () => {
  const world = await makeWorld();
  const processor = await world.start("process-callback");
  expect(await process(processor, queuedRefund(world))).toEqual([]);
  const [event] = await eventsOf(world, "books");
  expect(event).toMatchObject({ type: "payment.refund.success", sequence: "0000000001" });
  expect(event).not.toHaveProperty("subject");
  expect(event!.data).toMatchObject({ paymentId, flags: ["unknownOrder"] });
  expect(event!.data.amount).toEqual({ value: "29.95" });
  expect(logOf(processor).at(-1)).toMatchObject({ UnknownOrder: 1 });
  const orderKey = paymentKeyOf(world.merchant.merchantId, paymentId);
  const kept = await getItem(world.dynamodb, world.tables.orders, { orderKey });
  expect(kept).toMatchObject({ version: 1, refunds: { RF2026111500000042: { paymentId } } });
});

test("a refund finds its order through the pointer, and its amount the payment's currency", async () => {
  const world = await makeWorld();
  await linkPayment(world);
  const processor = await world.start("process-callback");
  await process(processor, queuedPayment(world));
  await process(processor, queuedRefund(world));
  const [, refund] = await eventsOf(world, "books");
  expect(refund).toMatchObject({ subject: orderNo, sequence: "0000000002" });
  expect(refund!.data.flags).toEqual([]);
  expect(refund!.data.amount).toEqual({ value: "29.95", minor: "2995", currency: "EUR" });
  expect(refund!.data.order).toMatchObject({
    orderNo,
    status: "success",
    refunds: [{ refundId: "RF2026111500000042", status: "refund_success" }],
    refundedAmount: { value: "29.95", minor: "2995", currency: "EUR" },
  });
});

test("a refund that comes before its payment's callback does not change how the order ends", async () => {
  const world = await makeWorld();
  await linkPayment(world);
  const processor = await world.start("process-callback");
  await process(processor, queuedRefund(world));
  await process(processor, queuedPayment(world));
  const [refund, payment] = await eventsOf(world, "books");
  expect(refund!.data.order.status).toBe("pending");
  expect(payment!.data.order).toMatchObject({ status: "success", refunds: [{ paymentId }] });
});

test("each refund has a status of its own, which only moves up", async () => {
  const world = await makeWorld();
  await linkPayment(world);
  const processor = await world.start("process-callback");
  await process(processor, queuedPayment(world));
  const facts = [
    { refundId: "R1", status: "refund_failed", refundAmount: 10 },
    { refundId: "R1", status: "refund_success", refundAmount: 10 },
    { refundId: "R2", status: "refund_success", refundAmount: 20 },
    { refundId: "R2", status: "refund_failed", refundAmount: 20 },
  ];
  for (const fact of facts) expect(await process(processor, queuedRefund(world, fact))).toEqual([]);
  const events = await eventsOf(world, "books");
  expect(events.slice(1).map(({ data }) => data.flags)).toEqual([[], [], [], ["regressed"]]);
  const last = events.at(-1)!.data.order;
  expect(last.refunds.map(({ refundId, status }) => [refundId, status])).toEqual([
    ["R1", "refund_success"],
    ["R2", "refund_success"],
  ]);
  expect(last.refundedAmount).toEqual({ value: "30.00", minor: "3000", currency: "EUR" });
});

test("more refunded than paid is a mismatch", async () => {
  const world = await makeWorld();
  await linkPayment(world);
  const processor = await world.start("process-callback");
  await process(processor, queuedPayment(world));
  await process(processor, queuedRefund(world, { refundId: "R1", refundAmount: 100 }));
  await process(processor, queuedRefund(world, { refundId: "R2", refundAmount: 29.96 }));
  const events = await eventsOf(world, "books");
  expect(events.map(({ data }) => data.flags.includes("mismatch"))).toEqual([false, false, true]);
});

test("an amount that has more decimals than the payment's currency is kept as told, as a mismatch", async () => {
  const world = await makeWorld();
  await linkPayment(world);
  const processor = await world.start("process-callback");
  await process(processor, queuedPayment(world));
  expect(await process(processor, queuedRefund(world, { refundAmount: "1.005" }))).toEqual([]);
  const [, refund] = await eventsOf(world, "books");
  expect(refund!.data).toMatchObject({ amount: { value: "1.005" }, flags: ["mismatch"] });
});

test.each(["constructor", "toString", "refunds.x", "#r", ":r", "退款😀"])(
  "a refund may have any id: %s",
  async (refundId) => {
    const world = await makeWorld();
    await linkPayment(world);
    const processor = await world.start("process-callback");
    await process(processor, queuedPayment(world));
    for (const status of ["refund_failed", "refund_success"]) {
      expect(await process(processor, queuedRefund(world, { refundId, status }))).toEqual([]);
    }
    await process(processor, queuedRefund(world, { refundId: "OTHER", refundAmount: 1 }));
    const events = await eventsOf(world, "books");
    expect(events.map(({ data }) => data.flags)).toEqual([["unknownOrder"], [], [], []]);
    const { refunds, refundedAmount } = events.at(-1)!.data.order;
    expect(refunds.map((refund) => refund.refundId).sort()).toEqual(["OTHER", refundId].sort());
    expect(refundedAmount).toMatchObject({ value: "30.95" });
  },
);
