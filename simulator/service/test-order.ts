import { randomBytes } from "node:crypto";
import * as z from "zod";
import { readCreateBody } from "../orders/create-rules.ts";
import type { Order } from "../orders/order.ts";
import type { Service } from "./service.ts";

/** An order without a signed request, to try a callback receiver without a storefront. */
const testOrderSchema = z.strictObject({
  merchantId: z.string().exactOptional(),
  orderNo: z.string().exactOptional(),
  amount: z.string().default("12.50"),
  currency: z.string().default("EUR"),
  description: z.string().default("A test order"),
  callbackUrl: z.string().exactOptional(),
  redirectUrl: z.string().exactOptional(),
  expirySeconds: z.int().default(1800),
});

export type TestOrderInput = z.input<typeof testOrderSchema>;

export type TestOrderBody = ReturnType<typeof testOrderBody>;

/** A create body (§2.3) with one article, without times and addresses. */
export function testOrderBody(input: unknown) {
  const { orderNo, amount, currency, description } = testOrderSchema.parse(input);
  const goods = [
    { referenceGoodsId: "test", goodsName: description, goodsAmount: amount, goodsQuantity: "1" },
  ];
  const order = {
    orderNo: orderNo ?? `TEST-${randomBytes(4).toString("hex").toUpperCase()}`,
    orderAmount: amount,
    orderDescription: description,
    goods,
  };
  return { order, channel: "WEB", paymentAmount: amount, currency };
}

export function makeTestOrder(service: Service, input: unknown): Order {
  const { merchantId, callbackUrl, redirectUrl, expirySeconds } = testOrderSchema.parse(input);
  const nowMilliseconds = Date.now();
  const body = {
    ...testOrderBody(input),
    paymentTime: String(nowMilliseconds),
    paymentExpiryTime: String(nowMilliseconds + expirySeconds * 1000),
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
    ...(redirectUrl === undefined ? {} : { redirectUrl }),
  };
  return service.payments.create(
    service.merchant(merchantId),
    readCreateBody(body, nowMilliseconds),
  );
}
