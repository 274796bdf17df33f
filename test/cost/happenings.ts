import { randomUUID } from "node:crypto";
import { paymentCallback } from "../integration/callbacks.ts";
import { forgedCallback } from "../integration/capturing.ts";
import { post } from "../integration/flow.ts";
import { dueOrder, store } from "../reconciling/due-orders.ts";
import { orderBody } from "../storefront/order.ts";
import { payInSilence } from "../storefront/silent-payment.ts";
import type { MeteredShop } from "./metered-shop.ts";

/** Prepares something, and returns the part of it that is counted. */
type Happening = (shop: MeteredShop) => Promise<() => Promise<unknown>>;

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

const payment: Happening = async (shop) => async () => await pay(shop, await createOrder(shop));

const creation: Happening = async (shop) => async () => await createOrder(shop);

const callback: Happening = async (shop) => {
  const envelope = paymentCallback(shop.shop.world, { referOrderNo: randomUUID() });
  return async () => await receive(shop, envelope);
};

const repeat: Happening = async (shop) => {
  const envelope = paymentCallback(shop.shop.world, { referOrderNo: randomUUID() });
  await receive(shop, envelope);
  return async () => await receive(shop, envelope);
};

/** SQS has forgotten it by then, so it reaches the record. */
const lateRepeat: Happening = async (shop) => {
  const { world } = shop.shop;
  const result = { referOrderNo: randomUUID(), transactionId: "T1" };
  await receive(shop, paymentCallback(world, result));
  return async () => await receive(shop, paymentCallback(world, result));
};

const refund: Happening = async (shop) => {
  const { simulator } = shop.shop;
  const paymentId = await createOrder(shop);
  await pay(shop, paymentId);
  return async () => {
    simulator.refund(paymentId, { amount: "4.10" });
    simulator.jumpClock(2);
    await simulator.settled();
    await shop.drainInbox();
  };
};

const forged: Happening = async (shop) => async () =>
  await receive(shop, forgedCallback(shop.shop.world));

const strangers: Happening = async (shop) => async () =>
  await receive(shop, { ...forgedCallback(shop.shop.world), merchantId: "stranger" });

const paidOrder: Happening = async (shop) => {
  const paymentId = await createOrder(shop);
  await pay(shop, paymentId);
  return async () => await shop.shop.get(`/payments/${paymentId}`);
};

const openOrder: Happening = async (shop) => {
  const paymentId = await createOrder(shop);
  return async () => await shop.shop.get(`/payments/${paymentId}`);
};

/** The callback was lost; one run of reconcile-orders finds this one order. */
const reconciled: Happening = async (candidate) => {
  const { shop, instances } = candidate;
  const paymentId = await createOrder(candidate);
  await payInSilence(shop, paymentId);
  const orderNo = randomUUID();
  const order = dueOrder(shop, { orderNo, lateMilliseconds: 1_000, paymentIds: [paymentId] });
  await store(shop, [order]);
  instances.get("reconcile-orders")!.advance(60_000);
  return async () => {
    await instances.get("reconcile-orders")!.invoke({}, 50_000);
    await candidate.drainInbox();
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
  "GET of an open order, which queries the service": openOrder,
  "a run of reconcile-orders without work": emptyRun,
};
