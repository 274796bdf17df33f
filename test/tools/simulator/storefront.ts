import type { Simulator } from "../../../tools/simulator/start-simulator.ts";
import { type Fields, sealRequest, type TestMerchant } from "./test-merchant.ts";

export interface ServiceAnswer {
  code: number | string;
  msg: string;
  data?: Record<string, unknown>;
}

export const paths = {
  create: "/payment/api/v1/payment-order",
  query: "/payment/api/v1/payment-order/query",
  gateway: "/api/v1/gateway",
} as const;

let orders = 0;

/** A create body (§2.3) that breaks no rule. */
export function createBody(changed: Fields = {}, order: Fields = {}): Fields {
  orders += 1;
  return {
    order: {
      orderNo: `ORDER-${orders}`,
      orderAmount: 25,
      goods: [
        { referenceGoodsId: "cup", goodsName: "Cup", goodsAmount: 10, goodsQuantity: 2 },
        { referenceGoodsId: "spoon", goodsName: "Spoon", goodsAmount: 5, goodsQuantity: 1 },
      ],
      ...order,
    },
    channel: "WEB",
    paymentAmount: 25,
    currency: "EUR",
    paymentTime: Date.now(),
    paymentExpiryTime: Date.now() + 30 * 60_000,
    ...changed,
  };
}

export async function post(url: string, body: string): Promise<ServiceAnswer> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body });
  return (await response.json()) as ServiceAnswer;
}

export async function create(
  simulator: Simulator,
  merchant: TestMerchant,
  body: unknown = createBody(),
): Promise<ServiceAnswer> {
  return await post(
    simulator.url + paths.create,
    sealRequest(merchant, "service.trade.create", body),
  );
}

export async function query(
  simulator: Simulator,
  merchant: TestMerchant,
  paymentId: unknown,
): Promise<ServiceAnswer> {
  return await post(
    simulator.url + paths.query,
    sealRequest(merchant, "service.trade.query", { paymentId }),
  );
}

/** Creates an order that must be taken, and gives its paymentId. */
export async function createdPayment(
  simulator: Simulator,
  merchant: TestMerchant,
  body?: unknown,
): Promise<string> {
  const { data, msg } = await create(simulator, merchant, body);
  if (typeof data?.["paymentId"] !== "string") throw new Error(`not created: ${msg}`);
  return data["paymentId"];
}

/** JSON over the control API. */
export async function control(
  simulator: Simulator,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(`${simulator.url}/control${path}`, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
