import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { outOfTime } from "../errors/out-of-time.ts";
import { type RefundAnswer, readRefundAnswer } from "../facts/read-refund-answer.ts";
import { type PaymentResult, readPaymentResult } from "../facts/read-result.ts";
import { codeForLog, GatewayError } from "../gateway/gateway-error.ts";
import type { HttpResponse } from "../http/http-response.ts";
import type { OrderName } from "../orders/creation-store.ts";
import type { Order } from "../orders/order.ts";
import type { Payment } from "../orders/payment.ts";
import { failureFields } from "../telemetry/failure-fields.ts";
import type { LogFields, WriteLine } from "../telemetry/log-line.ts";
import { isWithin } from "../text/characters.ts";
import type { ExpiringCache } from "./expiring-cache.ts";
import { jsonResponse, problemResponse } from "./make-response.ts";
import { chooseMerchant, requestedOrderNo } from "./named-order.ts";
import { type OrderView, paymentToAsk, viewForeignPayment, viewOrder } from "./order-view.ts";
import { ProblemError } from "./problem.ts";
import { type RefreshOrder, refreshOrder } from "./refresh-order.ts";
import { respondWithLine, type Trail } from "./storefront-line.ts";

export interface QueryOrder extends RefreshOrder {
  readonly merchantIds: readonly string[];
  readonly loadPayment: (merchantId: string, paymentId: string) => Promise<Payment>;
  readonly loadPayments: (order: Order) => Promise<readonly Payment[]>;
  /** Refusals for payments that are not stored here. Without this cache, each such request would call the service. */
  readonly refusals: ExpiringCache<GatewayError>;
  readonly log: WriteLine;
}

type HttpRequest = Pick<
  APIGatewayProxyEventV2,
  "routeKey" | "pathParameters" | "queryStringParameters"
>;

/** Adds fields to the log line of this call. */
type Note = (known: Partial<LogFields>) => void;

/**
 * GET /orders/{orderNo} and GET /payments/{paymentId}; requests without a route arrive here too. A response that may be
 * outdated has `stale: true` (refresh-order.ts). With `?refresh=true` the service is queried about a settled order, too.
 */
export async function queryOrder(request: HttpRequest, deps: QueryOrder): Promise<HttpResponse> {
  const stray = responseToStray(request.routeKey);
  if (stray !== undefined) {
    // Counted separately: requests of strangers must not lower the share of failed calls.
    deps.log({ outcome: "stray", httpStatus: stray.statusCode }, { Stray: 1 });
    return stray;
  }
  // A 0 is written too: an alarm adds this metric to the faults, so each line needs both.
  const trail: Trail = { fields: { route: request.routeKey }, metrics: {} };
  const note: Note = (known) => {
    trail.fields = { ...trail.fields, ...known };
  };
  return await respondWithLine(trail, deps, async () => {
    const view = await find(request, note, notingFailures(trail, note, deps));
    return { outcome: view.stale ? "stale" : "answered", answer: jsonResponse(200, view) };
  });
}

/** The log line of a stale response then says why the query failed, and counts it. */
function notingFailures(trail: Trail, note: Note, deps: QueryOrder): QueryOrder {
  const onFailure: QueryOrder["onFailure"] = (order, paymentId, error) => {
    note({ ...failureFields(error), serviceCode: codeForLog(error) });
    trail.metrics = { ...trail.metrics, QueryFailed: 1 };
    deps.onFailure(order, paymentId, error);
  };
  return { ...deps, onFailure };
}

async function find(request: HttpRequest, note: Note, deps: QueryOrder): Promise<OrderView> {
  const { paymentId, orderNo: inPath } = request.pathParameters ?? {};
  const { merchantId: named, orderNo: inQuery, refresh } = request.queryStringParameters ?? {};
  const orderNo = requestedOrderNo(inPath, inQuery);
  note({ orderNo: shortened(orderNo), paymentId: shortened(paymentId) });
  const merchantId = chooseMerchant(named, deps.merchantIds);
  note({ merchantId });
  const wanted = { note, isRefresh: refresh === "true" };
  return paymentId === undefined
    ? await findByOrderNo({ merchantId, orderNo: orderNo ?? "" }, wanted, deps)
    : await findByPayment(merchantId, paymentId, wanted, deps);
}

interface Wanted {
  readonly note: Note;
  /** The caller wants the service to be queried, whatever is stored. */
  readonly isRefresh: boolean;
}

const longestId = 64;

function shortened(id: string | undefined): string | undefined {
  return id?.slice(0, longestId);
}

/** No id is longer, here or at the service, and a table key has a maximum length. */
function isTooLong(id: string): boolean {
  return !isWithin(id, longestId);
}

async function findByOrderNo(
  name: OrderName,
  wanted: Wanted,
  deps: QueryOrder,
): Promise<OrderView> {
  const order = isTooLong(name.orderNo) ? undefined : await deps.loadOrder(name);
  if (order === undefined || isUnknown(order)) {
    throw new ProblemError("order-unknown", "No order with this orderNo was created here.");
  }
  if (order.state.kind === "heard") throw new ProblemError("order-unknown", heardDetail);
  return await freshView(order, paymentToAsk(order), wanted, deps);
}

const heardDetail =
  "No order with this orderNo was created here. A callback of the payment service names it and cannot be understood: ask the operator of this stack.";

/** Nothing was created here, or nothing could be sent, and the service has not reported on the order. */
function isUnknown({ state }: Order): boolean {
  return state.kind === "new" || state.kind === "unsent";
}

async function findByPayment(
  merchantId: string,
  paymentId: string,
  wanted: Wanted,
  deps: QueryOrder,
): Promise<OrderView> {
  if (isTooLong(paymentId)) throw paymentUnknown();
  const payment = await deps.loadPayment(merchantId, paymentId);
  if (payment.order === undefined) {
    const view = await askForPayment(payment, deps);
    wanted.note({ orderNo: view.orderNo });
    return view;
  }
  const order = await deps.loadOrder({ merchantId, orderNo: payment.order.orderNo });
  return await freshView(order, paymentId, wanted, deps, payment);
}

/** `known` is a payment that was just read. It is read again only after a query to the service, which takes time. */
async function freshView(
  order: Order,
  paymentId: string | undefined,
  { note, isRefresh }: Wanted,
  deps: QueryOrder,
  known?: Payment,
): Promise<OrderView> {
  note({ orderNo: order.orderNo, paymentId });
  const fresh = await refreshOrder(order, paymentId, deps, isRefresh);
  const isKnown = fresh.order === order && order.paymentIds.every((id) => id === known?.paymentId);
  const payments = isKnown && known ? [known] : await deps.loadPayments(fresh.order);
  return viewOrder(fresh.order, payments, { stale: fresh.stale, nowMilliseconds: deps.now() });
}

/** No stored order has the payment, so there is no stored status to return instead. */
async function askForPayment(payment: Payment, deps: QueryOrder): Promise<OrderView> {
  const { merchantId, paymentId } = payment;
  const key = `${merchantId}#${paymentId}`;
  const remembered = deps.refusals.get(key);
  if (remembered !== undefined) throw refusedPayment(remembered);
  if (!deps.hasTimeToAsk()) throw outOfTime();
  const answer = await deps.queryPayment(merchantId, paymentId).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.failure !== "refused") throw withoutAnswer(error);
    deps.refusals.set(key, error);
    throw refusedPayment(error);
  });
  const result = readForeign(answer);
  const { namedMerchantId } = result;
  if (namedMerchantId !== undefined && namedMerchantId !== merchantId) throw paymentUnknown();
  return viewForeignPayment(payment, result, deps.now());
}

function readForeign(answer: object): PaymentResult | RefundAnswer {
  try {
    return readRefundAnswer(answer) ?? readPaymentResult(answer, "query");
  } catch (cause) {
    throw withoutAnswer(new GatewayError("unreadable", { cause }));
  }
}

/** A query changes nothing, so its outcome is never unknown: it may be sent again after any failure. */
function withoutAnswer(error: unknown): unknown {
  if (!(error instanceof GatewayError) || !error.mayHaveActed) return error;
  return new ProblemError("service-no-answer", undefined, { retryAfterSeconds: 5 }, error);
}

/** The interface lists no codes (§7). Most likely there is no such payment; the service's own message says so. */
function refusedPayment(error: GatewayError): ProblemError {
  const detail =
    "No payment with this id is known here, and the payment service rejected the query about it.";
  const service = error.refusal && { service: error.refusal };
  return new ProblemError("payment-unknown", detail, { ...service }, error);
}

function paymentUnknown(): ProblemError {
  const detail = "No payment with this id is known, here or to the payment service.";
  return new ProblemError("payment-unknown", detail);
}

/** Requests without a route, and CORS preflights. API Gateway adds the CORS headers itself. */
function responseToStray(routeKey: string): HttpResponse | undefined {
  if (routeKey.startsWith("OPTIONS ")) return { statusCode: 204, headers: {}, body: "" };
  if (routeKey !== "$default") return undefined;
  const detail =
    "The routes are POST /callbacks, POST /orders, GET /orders/{orderNo} and GET /payments/{paymentId}.";
  return problemResponse(new ProblemError("route-unknown", detail));
}
