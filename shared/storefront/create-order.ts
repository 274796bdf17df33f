import { PaycastError } from "../errors/paycast-error.ts";
import { raisedFlags } from "../facts/flags.ts";
import type { CreateAnswer } from "../gateway/create-answer.ts";
import { GatewayError } from "../gateway/gateway-error.ts";
import type { HttpResponse } from "../http/http-response.ts";
import type { RequestBody } from "../http/request-body.ts";
import {
  type AttemptEnd,
  type Beginning,
  type CreationRequest,
  type PaymentEnd,
  reasonNotToSend,
} from "../orders/creation.ts";
import type { OrderName, StoredPayment } from "../orders/creation-store.ts";
import type { Order } from "../orders/order.ts";
import type { Payment } from "../orders/payment.ts";
import { isFresh, isJustCreated } from "../orders/question.ts";
import type { WriteLine } from "../telemetry/log-line.ts";
import { countCreation } from "./count-creation.ts";
import { jsonResponse } from "./make-response.ts";
import { chooseMerchant, locationOf } from "./named-order.ts";
import { type OrderView, viewOrder } from "./order-view.ts";
import { ProblemError } from "./problem.ts";
import { bodyInvalid, type OrderToCreate, readOrder, requestText } from "./read-order.ts";
import type { RedirectRules } from "./redirect-faults.ts";
import { refuseUnlessCreated } from "./refuse-unless-created.ts";
import { noteUnwritten, respondWithLine, statusForLog, type Trail } from "./storefront-line.ts";

export interface CreateOrder {
  readonly merchantIds: readonly string[];
  readonly redirects: RedirectRules;
  readonly shortOrderNumbers: boolean;
  readonly exactSums: boolean;
  /** The service's codes that say that the caller's request was wrong. */
  readonly callerCodes: readonly string[];
  readonly callbackUrl: string;
  readonly loadOrder: (name: OrderName) => Promise<Order>;
  readonly loadPayments: (order: Order) => Promise<readonly Payment[]>;
  readonly begin: (
    name: OrderName,
    request: CreationRequest,
    attemptId: string,
  ) => Promise<{ readonly beginning: Beginning; readonly order: Order }>;
  readonly createPayment: (
    merchantId: string,
    body: OrderToCreate["body"],
  ) => Promise<CreateAnswer>;
  /** `begun`: the order as it was when the attempt was stored. */
  readonly storePayment: (
    begun: Order,
    attemptId: string,
    created: PaymentEnd,
  ) => Promise<StoredPayment>;
  /** Stores that the service returned a payment of another order. */
  readonly storeOtherOrder: (
    begun: Order,
    attemptId: string,
    paymentId: string,
  ) => Promise<StoredPayment>;
  readonly end: (name: OrderName, attemptId: string, end: AttemptEnd) => Promise<void>;
  readonly newId: () => string;
  readonly now: () => number;
  readonly log: WriteLine;
  /** Writes metrics of count-attention. */
  readonly logAsCounter: WriteLine;
}

/**
 * POST /orders: checks the request, stores the attempt, sends it, stores the payment. A repeat returns the current
 * order. While another caller creates the order, the response is 409 `order-in-progress`; if the number belongs to an
 * order with different content, 409 `order-differs` (`reasonNotToSend` in orders/creation.ts decides, problem-kinds.ts
 * has the status codes). If the service refuses the order, the response is 502 `service-refused` (make-response.ts).
 */
export async function createOrder(request: RequestBody, deps: CreateOrder): Promise<HttpResponse> {
  const trail: Trail = { fields: {}, metrics: {} };
  return await respondWithLine(trail, deps, async () => ({
    outcome: "answered",
    answer: await answerOrder(request, trail, deps),
  }));
}

async function answerOrder(
  request: RequestBody,
  trail: Trail,
  deps: CreateOrder,
): Promise<HttpResponse> {
  const { redirects, merchantIds, shortOrderNumbers, exactSums } = deps;
  const nowMilliseconds = deps.now();
  const rules = { redirects, merchantIds, shortOrderNumbers, exactSums, nowMilliseconds };
  const toCreate = readOrder(requestText(request), rules);
  const name = {
    merchantId: chooseMerchant(toCreate.merchantId, merchantIds),
    orderNo: toCreate.orderNo,
  };
  trail.fields = name;
  const { beginning, order } = await beginOrFind(name, toCreate, trail, deps);
  trail.fields = { ...name, paymentId: order.creation?.paymentId };
  if (beginning.kind !== "begun") {
    refuseUnlessCreated(beginning);
    return jsonResponse(200, await view(order, deps));
  }
  const create = async () => {
    const stored = await send(beginning, toCreate, trail, deps);
    const created = await view(stored.order, deps, stored.payment);
    return jsonResponse(201, created, { location: locationOf(name, merchantIds.length > 1) });
  };
  // Callers repeat an order that failed. Only its first attempt counts, or one order could look like an outage.
  const isFirst = beginning.order.attempts.length === 1;
  return isFirst ? await counted(trail, deps, create) : await create();
}

type Begun = Extract<Beginning, { kind: "begun" }>;

/** Counts how the first attempt of an order ended. */
async function counted<T>(trail: Trail, deps: CreateOrder, create: () => Promise<T>): Promise<T> {
  const note = (error?: unknown) => {
    trail.metrics = { ...trail.metrics, ...countCreation(error, deps.callerCodes) };
  };
  try {
    const created = await create();
    note();
    return created;
  } catch (error) {
    note(error);
    throw error;
  }
}

/** A body that is not valid for a new order may repeat an order that was valid when it was created. */
async function beginOrFind(
  name: OrderName,
  toCreate: OrderToCreate,
  trail: Trail,
  deps: CreateOrder,
) {
  if (toCreate.faultsIfNew.length === 0) return await begin(name, toCreate, trail, deps);
  const order = await deps.loadOrder(name);
  const beginning = reasonNotToSend(order, toCreate, deps.now());
  if (beginning === undefined) throw bodyInvalid(toCreate.faultsIfNew);
  return { beginning, order };
}

/** If storing the attempt fails, it may still have been written. Nothing was sent, so the number is freed. */
async function begin(name: OrderName, toCreate: OrderToCreate, trail: Trail, deps: CreateOrder) {
  const attemptId = deps.newId();
  try {
    return await deps.begin(name, { ...toCreate, callbackUrl: deps.callbackUrl }, attemptId);
  } catch (error) {
    // Without the table it is not known whether the order was sent before.
    trail.metrics = countCreation(error, deps.callerCodes);
    await deps.end(name, attemptId, { state: "refused" }).catch(() => undefined);
    throw error;
  }
}

async function send(
  begun: Begun,
  toCreate: OrderToCreate,
  trail: Trail,
  deps: CreateOrder,
): Promise<Extract<StoredPayment, { kind: "stored" }>> {
  const { merchantId, orderNo } = begun.order;
  const name = { merchantId, orderNo };
  const body = { ...toCreate.body, callbackUrl: deps.callbackUrl };
  const answer = await callService(name, begun.attemptId, deps, () =>
    deps.createPayment(merchantId, body),
  );
  const { paymentId } = answer;
  noteAnswer(name, answer, trail);
  const stored = await store(begun, answer, deps);
  trail.metrics = {
    ...trail.metrics,
    // Nobody can pay an order whose response is incomplete: it counts as a failure only.
    ...(stored.kind === "stored" && answer.state === "created" && { Created: 1 }),
    ...(stored.kind === "claimed" && { PaymentClaimedTwice: 1 }),
    ...(stored.kind === "stored" && stored.mismatch && { Mismatch: 1 }),
  };
  if (stored.unwritten !== undefined) noteUnwritten(trail, stored.unwritten, deps.logAsCounter);
  // A payment of another order must not collect this order's money.
  if (stored.kind === "claimed") throw new GatewayError("other-order");
  if (answer.state === "incomplete") throw new GatewayError("incomplete", { paymentId });
  return stored;
}

function noteAnswer(name: OrderName, answer: CreateAnswer, trail: Trail): void {
  const { paymentId, status } = answer;
  const isNumberShortened = answer.state !== "other-order" && answer.isNumberShortened;
  const isUnexpected = status !== undefined && status !== "pending";
  trail.fields = {
    ...name,
    paymentId,
    ...(isUnexpected && { serviceStatus: statusForLog(status) }),
    ...(isNumberShortened && { flags: raisedFlags({ shortenedNumber: true }) }),
  };
  trail.metrics = {
    ...(isUnexpected && { UnexpectedStatus: 1 }),
    ...(isNumberShortened && { ShortenedNumber: 1 }),
  };
}

/** If the payment cannot be stored, the service has the order and nothing here knows it, so the outcome is unknown. */
async function store(
  { order, attemptId }: Begun,
  answer: CreateAnswer,
  deps: CreateOrder,
): Promise<StoredPayment> {
  const { status: _status, ...end } = answer;
  const { paymentId } = end;
  try {
    if (end.state === "other-order") return await deps.storeOtherOrder(order, attemptId, paymentId);
    return await deps.storePayment(order, attemptId, end);
  } catch (cause) {
    // The caller must not take that payment for this order's.
    if (end.state === "other-order") throw new GatewayError("other-order", { cause });
    const extras = { retryAfterSeconds: 1, paymentId };
    throw new ProblemError("outcome-unknown", notStoredDetail, extras, cause);
  }
}

const notStoredDetail =
  "The payment service created the payment, but it could not be stored here. Send the same order again. Do not create it under another `orderNo`: the consumer could pay twice.";

/**
 * If the call fails, stores how the attempt ended: after a refusal, or if nothing was sent, the number is free again;
 * otherwise the service may have the order. If this cannot be stored, the lease ends by itself.
 */
async function callService<T>(
  name: OrderName,
  attemptId: string,
  deps: CreateOrder,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    await deps.end(name, attemptId, endAfterFailure(error, deps.now())).catch(() => undefined);
    throw error;
  }
}

/** The order joined with its payments. `known` is the payment that the service has just returned. */
async function view(order: Order, deps: CreateOrder, known?: Payment): Promise<OrderView> {
  const isKnown = known !== undefined && order.paymentIds.every((id) => id === known.paymentId);
  const payments = isKnown ? [known] : await deps.loadPayments(order);
  const nowMilliseconds = deps.now();
  const isCurrent = isFresh(order, nowMilliseconds) || isJustCreated(order, nowMilliseconds);
  const stale = known === undefined && !isCurrent;
  return viewOrder(order, payments, { stale, nowMilliseconds });
}

/**
 * How an attempt ends after its call failed. If the keys cannot be used, nothing was sent. After an unexpected error,
 * it is unknown whether anything was sent. Only a refusal is remembered: a busy service may be called again later.
 */
function endAfterFailure(error: unknown, atMilliseconds: number): AttemptEnd {
  if (!(error instanceof PaycastError)) return { state: "unknown" };
  if (!(error instanceof GatewayError)) return { state: "refused" };
  if (error.mayHaveActed) return { state: "unknown" };
  const { failure, refusal } = error;
  if (failure !== "refused" || refusal === undefined) return { state: "refused" };
  return { state: "refused", refusal: { ...refusal, atMilliseconds } };
}
