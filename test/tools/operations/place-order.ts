import { randomUUID } from "node:crypto";
import { createOrder } from "../../../shared/storefront/create-order.ts";
import { wireCreation } from "../../builders/product.ts";
import { goods, orderBody } from "../../shared/storefront/order-body.ts";
import type { TestTarget } from "./test-target.ts";

/** The amount of the callbacks of test/builders/callback.ts. */
const amount = 129.95;

/** Stores an order as create-order does, with a payment service that accepts it. Gives the payment's id. */
export async function placeOrder({ target }: TestTarget, orderNo: string): Promise<string> {
  const { orders, records, stack } = target();
  const paymentId = `PAY-${randomUUID()}`;
  const around = {
    database: orders.database,
    tables: { orders: orders.table, callbacks: records.table },
    merchantIds: stack.merchants.map(({ merchantId }) => merchantId),
    now: Date.now,
    log: () => {},
  };
  const accepted = {
    state: "created" as const,
    paymentId,
    checkoutUrl: "https://service.example/",
    status: "pending",
    isNumberShortened: false,
  };
  const deps = wireCreation(around, { createPayment: async () => accepted, newId: randomUUID });
  const sold = {
    orderNo,
    orderAmount: amount,
    goods: [goods({ goodsAmount: amount, goodsQuantity: 1 })],
  };
  const body = JSON.stringify(orderBody({ paymentAmount: amount }, sold));
  const { statusCode, body: answer } = await createOrder({ body, isBase64Encoded: false }, deps);
  if (statusCode !== 201) throw new Error(`The order was not placed: ${statusCode} ${answer}`);
  return paymentId;
}
