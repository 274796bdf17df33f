import { setTimeout as pause } from "node:timers/promises";
import type { PaymentFact, RefundFact } from "../../shared/facts/fact.ts";
import {
  type Aggregate,
  loadOrder,
  loadPayment,
  saveAggregates,
} from "../../shared/orders/aggregate-store.ts";
import { applyPaymentFact } from "../../shared/orders/apply-payment-fact.ts";
import { applyRefundFact } from "../../shared/orders/apply-refund-fact.ts";
import { dueAfterFact } from "../../shared/orders/due.ts";
import type { Database } from "../../shared/table/database.ts";
import type { World } from "../integration/world.ts";

function databaseOf({ dynamodb }: World): Database {
  return {
    client: dynamodb,
    endsAtMilliseconds: Number.POSITIVE_INFINITY,
    now: Date.now,
    random: Math.random,
    pause: async (milliseconds) => {
      await pause(milliseconds);
    },
  };
}

/** Writes aggregates as they are given, under the usual lock. */
export async function save(world: World, ...aggregates: readonly Aggregate[]): Promise<void> {
  const isSaved = await saveAggregates(databaseOf(world), world.tables.orders, aggregates);
  if (!isSaved) throw new Error("Somebody else has written it.");
}

/** The order as it is stored. */
async function storedOrder(world: World, orderNo: string) {
  const { merchant, tables } = world;
  return await loadOrder(databaseOf(world), tables.orders, merchant.merchantId, orderNo);
}

/** The payment as it is stored. */
async function storedPayment(world: World, paymentId: string) {
  const { merchant, tables } = world;
  return await loadPayment(databaseOf(world), tables.orders, merchant.merchantId, paymentId);
}

/** The fact is applied to its order, as process-callback would do it. */
export async function reportPayment(world: World, fact: PaymentFact): Promise<void> {
  const order = await storedOrder(world, fact.orderNo);
  const { aggregate, flags } = applyPaymentFact(order, fact);
  await save(world, dueAfterFact(order, aggregate, flags, Date.now()));
}

/** The fact is applied to its payment, as process-callback would do it. */
export async function reportRefund(world: World, fact: RefundFact): Promise<void> {
  const payment = await storedPayment(world, fact.paymentId);
  await save(world, applyRefundFact(payment, fact).aggregate);
}
