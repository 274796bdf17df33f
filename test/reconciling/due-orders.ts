import { newOrder, type Order } from "../../shared/orders/order.ts";
import { anAttempt, asCreated } from "../shared/orders/facts.ts";
import { save } from "../storefront/report.ts";
import type { Shop } from "../storefront/shop.ts";
import { minute } from "./overdue.ts";

const expected = { value: "25.00", minor: "2500", currency: "EUR" };

interface Wanted {
  readonly orderNo: string;
  /** How long ago the order became due; negative for one that is due later. */
  readonly lateMilliseconds: number;
  readonly paymentIds?: readonly string[];
  readonly merchantId?: string;
}

/** An order as create-order and time have left it. */
export function dueOrder({ world }: Shop, wanted: Wanted): Order {
  const { orderNo, lateMilliseconds, merchantId = world.merchant.merchantId } = wanted;
  const paymentIds = [...(wanted.paymentIds ?? [`P-${orderNo}`])];
  const expiresAtMilliseconds = Date.now() - lateMilliseconds - 2 * minute;
  const startedAtMilliseconds = expiresAtMilliseconds - 30 * minute;
  const creation = {
    content: { channel: "hash" },
    channel: "WEB",
    callbackUrl: "https://api.example/callbacks",
    expiresAtMilliseconds,
    paymentId: paymentIds[0],
  };
  const attempts = paymentIds.map((paymentId) =>
    anAttempt({ attemptId: paymentId, paymentId, startedAtMilliseconds }),
  );
  const order = { ...newOrder(merchantId, orderNo), paymentIds, creation, attempts, expected };
  return asCreated(order);
}

/** Stores orders, a hundred in one transaction. */
export async function store(shop: Shop, orders: readonly Order[]): Promise<void> {
  for (let from = 0; from < orders.length; from += 100) {
    await save(shop.world, ...orders.slice(from, from + 100));
  }
}

/** Orders that are due, the first one for the longest time. */
export async function storeDue(shop: Shop, count: number, prefix = "DUE"): Promise<string[]> {
  const orderNos = Array.from({ length: count }, (_item, index) => `${prefix}-${index}`);
  const orders = orderNos.map((orderNo, index) =>
    dueOrder(shop, { orderNo, lateMilliseconds: (count - index) * 1_000 }),
  );
  await store(shop, orders);
  return orderNos;
}
