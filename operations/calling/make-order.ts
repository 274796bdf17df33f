import { randomBytes } from "node:crypto";
import * as z from "zod";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { Target } from "../target/target.ts";
import { askLocal, type FieldNames } from "./ask-local.ts";
import { controlService, type ServicePayment } from "./service-control.ts";

export interface WantedOrder {
  /** Without it the number is new. */
  readonly orderNo?: string | undefined;
  /** Without it the stack's first merchant. */
  readonly merchantId?: string | undefined;
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
  readonly description?: string | undefined;
}

const createdSchema = z.object({ paymentId: z.string() });

/** What the Lab's form and the options of the command ask for. The amount is in three fields of the request. */
const fieldNames: FieldNames = {
  "/paymentAmount": "Amount",
  "/order/orderAmount": "Amount",
  "/order/goods/0/goodsAmount": "Amount",
  "/currency": "Currency",
  "/order/orderNo": "Order number",
  "/merchantId": "Merchant",
};

/** Makes an order on the local stack, as a storefront does: through Paycast's own API. */
export async function makeOrder(
  { simulator, api, merchants }: Target,
  wanted: WantedOrder,
): Promise<ServicePayment> {
  if (simulator === undefined) throw new PaycastError("wrong-usage", notLocal);
  const merchantId = wanted.merchantId ?? merchants[0]?.merchantId;
  const body = { merchantId, ...orderBody(wanted) };
  const created = await askLocal(fetch, "POST", `${api}/orders`, body, fieldNames);
  const { paymentId } = createdSchema.parse(created);
  return await controlService(simulator).payment(paymentId);
}

/** A create body (§2.3) with one article. */
function orderBody({ orderNo, amount = "12.50", currency = "EUR", description }: WantedOrder) {
  const goods = {
    referenceGoodsId: "sample",
    goodsName: description ?? "A test order",
    goodsAmount: amount,
    goodsQuantity: 1,
  };
  return {
    channel: "WEB",
    currency,
    paymentAmount: amount,
    order: { orderNo: orderNo ?? newOrderNo("local"), orderAmount: amount, goods: [goods] },
  };
}

/** "local-1f2e3d4c" */
export function newOrderNo(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString("hex")}`;
}

const notLocal =
  "Orders can be made here on the local stack only. A deployed one has a storefront.";
