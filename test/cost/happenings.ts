import { randomUUID } from "node:crypto";
import { paymentCallback } from "../integration/callbacks.ts";
import { forgedCallback } from "../integration/capturing.ts";
import { post } from "../integration/flow.ts";
import { dueOrder, store } from "../reconciling/due-orders.ts";
import { orderBody } from "../storefront/order.ts";
import { payInSilence } from "../storefront/silent-payment.ts";
import type { MeteredShop } from "./metered-shop.ts";

/** Prepares something, and returns the part of it that is counted. */
type Happening = (one: MeteredShop) => Promise<() => Promise<unknown>>;

async function createOrder({ shop }: MeteredShop): Promise<string> {
  const { body } = await shop.create(orderBody());
  return String(body["paymentId"]);
}

/** The service tells that it confirms the payment, then that the payment succeeded. */
async function pay({ shop, drainInbox }: MeteredShop, paymentId: string): Promise<void> {
  shop.simulator.pay(paymentId);
  await shop.simulator.settled();
  shop.simulator.jumpClock(2);
  await shop.simulator.settled();
  await drainInbox();
}

async function receive({ instances, drainInbox }: MeteredShop, envelope: object): Promise<void> {
  await post(instances.get("receive-callback")!, envelope);
  await drainInbox();
}

const payment: Happening = async (one) => async () => await pay(one, await createOrder(one));

const creation: Happening = async (one) => async () => await createOrder(one);

const callback: Happening = async (one) => {
  const envelope = paymentCallback(one.shop.world, { referOrderNo: randomUUID() });
  return async () => await receive(one, envelope);
};

const repeat: Happening = async (one) => {
  const envelope = paymentCallback(one.shop.world, { referOrderNo: randomUUID() });
  await receive(one, envelope);
  return async () => await receive(one, envelope);
};

/** SQS has forgotten it by then, so it reaches the record. */
const lateRepeat: Happening = async (one) => {
  const { world } = one.shop;
  const told = { referOrderNo: randomUUID(), transactionId: "T1" };
  await receive(one, paymentCallback(world, told));
  return async () => await receive(one, paymentCallback(world, told));
};

const refund: Happening = async (one) => {
  const { simulator } = one.shop;
  const paymentId = await createOrder(one);
  await pay(one, paymentId);
  return async () => {
    simulator.refund(paymentId, { amount: "4.10" });
    simulator.jumpClock(2);
    await simulator.settled();
    await one.drainInbox();
  };
};

const forged: Happening = async (one) => async () =>
  await receive(one, forgedCallback(one.shop.world));

const strangers: Happening = async (one) => async () =>
  await receive(one, { ...forgedCallback(one.shop.world), merchantId: "stranger" });

const paidOrder: Happening = async (one) => {
  const paymentId = await createOrder(one);
  await pay(one, paymentId);
  return async () => await one.shop.get(`/payments/${paymentId}`);
};

const openOrder: Happening = async (one) => {
  const paymentId = await createOrder(one);
  return async () => await one.shop.get(`/payments/${paymentId}`);
};

/** The callback was lost; one run of reconcile-orders finds this one order. */
const reconciled: Happening = async (one) => {
  const { shop, instances } = one;
  const paymentId = await createOrder(one);
  await payInSilence(shop, paymentId);
  const orderNo = randomUUID();
  const order = dueOrder(shop, { orderNo, lateMilliseconds: 1_000, paymentIds: [paymentId] });
  await store(shop, [order]);
  instances.get("reconcile-orders")!.advance(60_000);
  return async () => {
    await instances.get("reconcile-orders")!.invoke({}, 50_000);
    await one.drainInbox();
  };
};

const emptyRun: Happening = async ({ instances }) => {
  const reconciler = instances.get("reconcile-orders")!;
  reconciler.advance(60_000);
  return async () => await reconciler.invoke({}, 50_000);
};

/** What is counted, by its name in docs/cost.md, if the number of subscribers changes it. */
export const published: Readonly<Record<string, Happening>> = {
  "a payment: created, confirming, success": payment,
  "one callback of it": callback,
  "a refund": refund,
  "a lost callback, found by reconcile-orders": reconciled,
};

/** The rest. */
export const unpublished: Readonly<Record<string, Happening>> = {
  "an order is created": creation,
  "the same callback again, within five minutes": repeat,
  "the same fact again, in another callback": lateRepeat,
  "a forged callback of a configured merchant": forged,
  "a forged callback of a stranger": strangers,
  "GET of a paid order": paidOrder,
  "GET of an open order, which asks the service": openOrder,
  "a run of reconcile-orders without work": emptyRun,
};
