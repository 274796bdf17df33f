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

export function makeTestOrder(service: Service, input: unknown): Order {
  const { merchantId, expirySeconds, ...wanted } = testOrderSchema.parse(input);
  const { orderNo, amount, currency, description, ...addresses } = wanted;
  const nowMilliseconds = service.clock.wireMilliseconds();
  const article = { referenceGoodsId: "test", goodsName: description, goodsAmount: amount };
  const body = {
    channel: "WEB",
    currency,
    paymentAmount: amount,
    paymentTime: String(nowMilliseconds),
    paymentExpiryTime: String(nowMilliseconds + expirySeconds * 1000),
    order: {
      orderNo: orderNo ?? `TEST-${randomBytes(4).toString("hex").toUpperCase()}`,
      orderAmount: amount,
      orderDescription: description,
      goods: [{ ...article, goodsQuantity: "1" }],
    },
    ...addresses,
  };
  return service.payments.create(
    service.merchant(merchantId),
    readCreateBody(body, nowMilliseconds),
  );
}
