import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import type { EventType } from "../../../shared/facts/event-types.ts";
import type { Work } from "../described/description.ts";
import { growingPauses } from "../growing-pauses.ts";
import { isAvailable } from "../ports/available.ts";
import type { Target } from "../ports/target.ts";
import {
  askLocal,
  controlService,
  type FieldNames,
  type ServiceControl,
  type ServicePayment,
} from "./service-control.ts";

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

/** The fields of the Lab's form and the options of the command. The amount is in three fields of the request. */
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
  { stack }: Pick<Target, "stack">,
  wanted: WantedOrder,
): Promise<ServicePayment> {
  if (!isAvailable(stack.local)) throw new PaycastError("wrong-usage", onlyLocal);
  const merchantId = wanted.merchantId ?? stack.merchants[0]?.merchantId;
  const body = { merchantId, ...orderBody(wanted) };
  const created = await askLocal(fetch, "POST", `${stack.api}/orders`, body, fieldNames);
  const { paymentId } = createdSchema.parse(created);
  return await controlService(stack.local.simulator).payment(paymentId);
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

const onlyLocal =
  "Orders can be created here on the local stack only. A deployed stack has a storefront.";

export interface TriggerRequest {
  readonly event: EventType;
  /** Without it a new order is made; an order that does not exist is made with this number. */
  readonly orderNo?: string | undefined;
  /** Needed for a new order if the stack has several. */
  readonly merchantId?: string | undefined;
}

export interface Triggered {
  readonly event: EventType;
  readonly orderNo: string;
  readonly paymentId: string;
  readonly merchantId: string;
  readonly isNewOrder: boolean;
}

/** The simulator confirms a payment within seconds, on its own clock. */
const longestConfirmingMilliseconds = 60_000;
const longestPauseMilliseconds = 250;

/** Makes the simulated payment service send an event. Throws `wrong-usage` for a deployed stack. */
export async function triggerEvent(
  target: Pick<Target, "stack">,
  request: TriggerRequest,
  work: Work,
): Promise<Triggered> {
  const { local } = target.stack;
  if (!isAvailable(local)) throw new PaycastError("wrong-usage", onlyLocalEvents);
  const service = controlService(local.simulator);
  const found = await findOrder(service, request);
  const order = found ?? (await makeOrder(target, { ...request, description: sampleName }));
  await acts[request.event](service, order, work);
  const { orderNo, paymentId, merchantId } = order;
  return { event: request.event, orderNo, paymentId, merchantId, isNewOrder: found === undefined };
}

const sampleName = "A sample for the local stack";

export const onlyLocalEvents =
  "trigger works on the local stack only: a deployed stack has a real payment service.";

/** The newest order of that number. */
async function findOrder(
  service: ServiceControl,
  { orderNo, merchantId }: TriggerRequest,
): Promise<ServicePayment | undefined> {
  if (orderNo === undefined) return undefined;
  const isWanted = (order: ServicePayment) =>
    order.orderNo === orderNo && (merchantId === undefined || order.merchantId === merchantId);
  return (await service.payments()).find(isWanted);
}

type Act = (service: ServiceControl, payment: ServicePayment, work: Work) => Promise<void>;

const pay: Act = (service, { paymentId, status }) =>
  service.act(paymentId, "pay", { force: status !== "pending" });

const refund =
  (outcome: "success" | "failed"): Act =>
  async (service, { paymentId, status }, work) => {
    await makePaid(service, paymentId, status, work);
    await service.act(paymentId, "refund", { outcome });
  };

/** What makes the local service send each event. */
const acts: Readonly<Record<EventType, Act>> = {
  "payment.order.confirming": pay,
  "payment.order.success": pay,
  "payment.order.failed": (service, { paymentId, status }) =>
    service.act(paymentId, "fail", { force: status !== "pending" }),
  "payment.order.timeout": (service, { paymentId }) => service.act(paymentId, "expire", {}),
  "payment.refund.success": refund("success"),
  "payment.refund.failed": refund("failed"),
};

/** Only what was paid can be refunded. */
async function makePaid(
  service: ServiceControl,
  paymentId: string,
  status: string,
  { stopped, tell }: Work,
): Promise<void> {
  if (status === "success") return;
  if (status !== "confirming") await service.act(paymentId, "pay", { force: status !== "pending" });
  tell("Waiting until the order is paid");
  const endsAt = Date.now() + longestConfirmingMilliseconds;
  for (const milliseconds of growingPauses(longestPauseMilliseconds)) {
    if ((await service.payment(paymentId)).status === "success") return;
    if (stopped.aborted) throw notRefunded("Stopped.");
    if (Date.now() >= endsAt) break;
    await pause(milliseconds);
  }
  throw notRefunded("The order is not paid after a minute. Check that the simulator's clock runs.");
}

function notRefunded(why: string): PaycastError {
  const message = `${why} No refund was started. To continue, run the command again with the order number.`;
  return new PaycastError("gateway-timed-out", message);
}
