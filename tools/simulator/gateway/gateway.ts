import * as z from "zod";
import { type IncompleteFault, makeIncomplete } from "../faults/make-incomplete.ts";
import { type Reply, spoilAnswer } from "../faults/spoil-answer.ts";
import type { Answer, Route, Visit } from "../http/serve.ts";
import { readCreateBody } from "../orders/create-rules.ts";
import { Refusal, refusalCodes } from "../orders/refusal.ts";
import {
  queryData,
  queryRefundData,
  queryRefundedData,
  reportedOrderNo,
} from "../orders/result-object.ts";
import type { Service } from "../service/service.ts";
import { type WritableJson, writeExactJson } from "../wire/exact-json.ts";
import { numberOnWire, type WireProfile } from "../wire/profile.ts";
import { type OpenedRequest, openRequest } from "./open-request.ts";

type Operation = "create" | "query";

const operations: Readonly<Record<string, Operation>> = {
  "service.trade.create": "create",
  "service.trade.query": "query",
};

/** §4.2, §4.3: each path with and without /cgi. At /api/v1/gateway the method field selects the operation. */
export function gatewayRoutes(
  service: Service,
  checkoutUrl: (paymentId: string) => string,
): Route[] {
  const at = (path: string, only?: Operation): Route => ({
    method: "POST",
    path: new RegExp(`^(?:/cgi)?${path}$`),
    handle: (visit) => answerRequest(service, checkoutUrl, visit, only),
  });
  return [
    at("/payment/api/v1/payment-order", "create"),
    at("/payment/api/v1/payment-order/query", "query"),
    at("/api/v1/gateway"),
  ];
}

async function answerRequest(
  service: Service,
  checkoutUrl: (paymentId: string) => string,
  visit: Visit,
  only: Operation | undefined,
): Promise<Answer> {
  try {
    const opened = open(service, visit);
    const operation = operationOf(opened.method, only);
    const faults = service.faults.takeForAnswer(operation, orderNoOf(service, operation, opened));
    const shortens = faults.some(({ kind }) => kind === "short-numbers");
    const incomplete = faults.find((fault) => fault.kind === "incomplete-answer");
    const work = () =>
      perform(service, checkoutUrl, operation, { ...opened, shortens, incomplete });
    return await spoilAnswer(faults, work, reply);
  } catch (error) {
    return refusalReply(error, service);
  }
}

function open(service: Service, visit: Visit): OpenedRequest {
  if (!/^application\/json\b/i.test(visit.contentType)) {
    throw new Refusal(refusalCodes.notAnEnvelope, "Content-Type must be application/json");
  }
  const { merchants, requestWindowSeconds: windowSeconds } = service;
  return openRequest(visit.body, {
    merchants,
    nowMilliseconds: service.clock.wireMilliseconds(),
    windowSeconds,
  });
}

function operationOf(method: string, only: Operation | undefined): Operation {
  const operation = Object.hasOwn(operations, method) ? operations[method] : undefined;
  if (operation !== undefined && (only === undefined || only === operation)) return operation;
  throw new Refusal(refusalCodes.unknownMethod, "this path does not support this method");
}

function perform(
  service: Service,
  checkoutUrl: (paymentId: string) => string,
  operation: Operation,
  opened: Requested,
): Reply {
  const { profile } = opened.merchant;
  try {
    const data =
      operation === "create" ? create(service, checkoutUrl, opened) : query(service, opened);
    const status = opened.incomplete?.how === "http-201" ? 201 : 200;
    return { ...reply(20_000, "SUCCESS", profile, data), status };
  } catch (error) {
    return refusalReply(error, service, profile);
  }
}

interface Requested extends OpenedRequest {
  /** Whether the fault of that name is active. */
  readonly shortens: boolean;
  readonly incomplete: IncompleteFault | undefined;
}

/** §2.7 */
function create(
  service: Service,
  checkoutUrl: (paymentId: string) => string,
  { merchant, body, shortens, incomplete }: Requested,
): WritableJson {
  const { clock, exactSums, payments } = service;
  const read = readCreateBody(body, clock.wireMilliseconds(), exactSums);
  const numbersPayment = incomplete?.how === "number-id";
  const order = payments.create(merchant, read, { shortens, numbersPayment });
  const { paymentId, orderNo, channel, status } = order;
  service.log(`create ${orderNo} → ${paymentId}`);
  const referOrderNo = reportedOrderNo(order);
  const data = { paymentId, referOrderNo, channel, checkoutUrl: checkoutUrl(paymentId), status };
  return incomplete === undefined ? data : makeIncomplete(data, incomplete.how);
}

const queryBody = z.object({ paymentId: z.string().min(1).max(32) });

function query(service: Service, { merchant, body }: OpenedRequest): WritableJson {
  const read = queryBody.safeParse(body);
  if (!read.success) {
    throw new Refusal(refusalCodes.bodyField, "paymentId must be text of 1 to 32 characters");
  }
  const order = service.payments.find(read.data.paymentId);
  if (order?.merchant === merchant) {
    const latest = service.refundedPayments === "refund" ? order.refunds.at(-1) : undefined;
    return latest === undefined ? queryData(order) : queryRefundedData(order, latest);
  }
  const refund = service.payments.findRefund(read.data.paymentId);
  if (refund?.order.merchant === merchant) return queryRefundData(refund.order, refund.refund);
  throw new Refusal(refusalCodes.unknownPayment, "paymentId is not known");
}

const orderNumberOnly = z.object({ order: z.object({ orderNo: z.string() }) });

function orderNoOf(
  service: Service,
  operation: Operation,
  { body }: OpenedRequest,
): string | undefined {
  if (operation === "create") return orderNumberOnly.safeParse(body).data?.order.orderNo;
  return service.payments.find(queryBody.safeParse(body).data?.paymentId ?? "")?.orderNo;
}

function refusalReply(error: unknown, service: Service, profile?: WireProfile): Reply {
  if (!(error instanceof Refusal)) throw error;
  service.log(`rejected: ${error.code} ${error.message}`);
  return reply(error.code, error.message, profile);
}

/** The response envelope (§2.2). */
function reply(code: number, msg: string, profile?: WireProfile, data?: WritableJson): Reply {
  const onWire = profile === undefined ? code : numberOnWire(code, profile);
  return {
    status: 200,
    type: "application/json",
    body: writeExactJson({ code: onWire, msg, data }),
  };
}
