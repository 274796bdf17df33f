import type { OrderEventData, PaycastEvent, RefundEventData } from "../../shared/events/event.ts";
import { newOrder, type Order } from "../../shared/orders/order.ts";
import { newPayment, type Payment } from "../../shared/orders/payment.ts";
import { putItem } from "./aws-stores.ts";
import type { World } from "./world.ts";

export function euros(value: string) {
  return { value, minor: String(BigInt(value.replace(".", ""))), currency: "EUR" };
}

/** An order as create-order has stored it before the service hears of it. */
export async function storeOrder(
  world: World,
  orderNo: string,
  overrides: Partial<Order> & Record<string, unknown> = {},
) {
  const order = newOrder(world.merchant.merchantId, orderNo);
  const stored = { ...order, revision: 1, ...overrides };
  await putItem(world.dynamodb, world.tables.orders, stored);
}

/** An order that our code cannot read: each callback about it fails by an error of our own. */
export async function storeUnreadableOrder(world: World, orderNo: string, attempts = "unreadable") {
  const order = newOrder(world.merchant.merchantId, orderNo);
  await putItem(world.dynamodb, world.tables.orders, { ...order, revision: 1, attempts });
}

/** A payment as create-order links it. */
export async function storeLinkedPayment(
  world: World,
  paymentId: string,
  order: NonNullable<Payment["order"]>,
) {
  const payment = newPayment(world.merchant.merchantId, paymentId);
  await putItem(world.dynamodb, world.tables.orders, { ...payment, revision: 1, order });
}

/** The data of an event about an order. */
export function orderData(event: PaycastEvent | undefined): OrderEventData {
  if (event === undefined || !("order" in event.data)) throw new Error("not an order's event");
  return event.data;
}

/** The data of an event about a refund. */
export function refundData(event: PaycastEvent | undefined): RefundEventData {
  if (event === undefined || !("payment" in event.data)) throw new Error("not a refund's event");
  return event.data;
}
