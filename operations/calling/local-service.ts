import * as z from "zod";
import { askLocal, type FieldNames } from "./ask-local.ts";

/** An order as the simulated payment service tells it. */
const simulatedOrderSchema = z.object({
  paymentId: z.string(),
  merchantId: z.string(),
  orderNo: z.string(),
  status: z.string(),
  checkoutUrl: z.string(),
});
export type SimulatedOrder = z.output<typeof simulatedOrderSchema>;

const listSchema = z.object({ orders: z.array(simulatedOrderSchema) });
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

export interface LocalService {
  readonly orders: () => Promise<readonly SimulatedOrder[]>;
  readonly order: (paymentId: string) => Promise<SimulatedOrder>;
  readonly act: (paymentId: string, action: string, body: object) => Promise<void>;
  /** Through Paycast's own API, so that it knows the order and its amount. */
  readonly create: (body: object) => Promise<string>;
}

/** The local payment service and the storefront, over HTTP. */
export function createLocalService(
  simulator: string,
  api: string,
  send: typeof fetch,
): LocalService {
  const control = `${simulator}/control/orders`;
  return {
    orders: async () => listSchema.parse(await askLocal(send, "GET", control)).orders,
    order: async (paymentId) =>
      simulatedOrderSchema.parse(await askLocal(send, "GET", `${control}/${paymentId}`)),
    act: async (paymentId, action, body) => {
      await askLocal(send, "POST", `${control}/${paymentId}/${action}`, body);
    },
    create: async (body) =>
      createdSchema.parse(await askLocal(send, "POST", `${api}/orders`, body, fieldNames))
        .paymentId,
  };
}
