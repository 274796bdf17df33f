import type { APIGatewayProxyEventV2 } from "aws-lambda";
import * as z from "zod/mini";
import { createDefaultGateway } from "../shared/gateway/default-gateway.ts";
import { GatewayError, type ServiceRefusal } from "../shared/gateway/gateway-error.ts";
import { gatewaySettingsSchema } from "../shared/gateway/gateway-settings.ts";
import { queryPayment } from "../shared/gateway/operations.ts";
import { createInboxSender } from "../shared/inbox/send-to-inbox.ts";
import { claimQuery, noteFailedQuery } from "../shared/orders/claim-query.ts";
import { loadOrder } from "../shared/orders/load-order.ts";
import { isRefused, type Order, orderKeyOf, paymentKeyOf } from "../shared/orders/order.ts";
import { hasRefundStatus } from "../shared/orders/read-fact.ts";
import { jsonVariable, readEnvironment } from "../shared/read-environment.ts";
import { chooseMerchant } from "../shared/storefront/choose-merchant.ts";
import { foreignPayment } from "../shared/storefront/foreign-payment.ts";
import { answerToProblem, type HttpAnswer, jsonAnswer } from "../shared/storefront/http-answer.ts";
import { viewOrder } from "../shared/storefront/order-view.ts";
import { ProblemError, problemOf } from "../shared/storefront/problem.ts";
import {
  type FreshOrder,
  type RefreshOrder,
  refreshOrder,
} from "../shared/storefront/refresh-order.ts";
import { createDynamoDbClient } from "../shared/table/dynamodb-client.ts";
import { asError, createLog, errorFields, type WriteLine } from "../shared/telemetry/log-line.ts";
import { describeStorefront } from "../shared/telemetry/storefront-line.ts";
import { currentTraceparent } from "../shared/telemetry/traceparent.ts";

interface QueryOrder extends RefreshOrder {
  readonly merchantIds: readonly string[];
  readonly loadOrder: (orderKey: string) => Promise<Order | undefined>;
  readonly log: WriteLine;
}

type HttpRequest = Pick<APIGatewayProxyEventV2, "pathParameters" | "queryStringParameters">;

/** GET /orders/{orderNo} and GET /payments/{paymentId}. */
export async function queryOrder(request: HttpRequest, deps: QueryOrder): Promise<HttpAnswer> {
  const startedAt = deps.now();
  try {
    const named = request.queryStringParameters?.["merchantId"];
    const merchantId = chooseMerchant(named, deps.merchantIds);
    const { orderNo, paymentId } = request.pathParameters ?? {};
    const { order, stale } =
      paymentId === undefined
        ? await findByOrderNo(merchantId, orderNo ?? "", deps)
        : await findByPayment(merchantId, paymentId, deps);
    const answer = jsonAnswer(200, viewOrder(order, stale, deps.now()));
    deps.log(...describeStorefront(stale ? "stale" : "answered", 200, deps.now() - startedAt));
    return answer;
  } catch (error) {
    const answer = answerToProblem(error);
    deps.log(...describeStorefront(asError(error), answer.statusCode, deps.now() - startedAt));
    return answer;
  }
}

async function findByOrderNo(
  merchantId: string,
  orderNo: string,
  deps: QueryOrder,
): Promise<FreshOrder> {
  const order = isTooLong(orderNo)
    ? undefined
    : await deps.loadOrder(orderKeyOf(merchantId, orderNo));
  if (order === undefined || isRefused(order)) {
    throw new ProblemError(
      problemOf("order-unknown", "No order with this orderNo was created here."),
    );
  }
  return await refreshOrder(order, order.create?.paymentId ?? order.paymentIds.at(-1), deps);
}

async function findByPayment(
  merchantId: string,
  paymentId: string,
  deps: QueryOrder,
): Promise<FreshOrder> {
  if (isTooLong(paymentId)) throw paymentUnknown();
  const pointer = await deps.loadOrder(paymentKeyOf(merchantId, paymentId));
  const order = pointer?.linkedTo && (await deps.loadOrder(pointer.linkedTo));
  if (order) return await refreshOrder(order, paymentId, deps);
  return { order: await askForPayment(merchantId, paymentId, deps), stale: false };
}

/** Neither here nor at the service is there such an id, and a key of the table could not hold any length. */
function isTooLong(id: string): boolean {
  return [...id].length > 64;
}

/** The table has never heard of it, so there is nothing to fall back on. */
async function askForPayment(
  merchantId: string,
  paymentId: string,
  deps: QueryOrder,
): Promise<Order> {
  try {
    const answer = await deps.queryPayment(merchantId, paymentId);
    // A refund can be asked for, too (§3.2), by its own id: that is no payment.
    if (hasRefundStatus(answer)) throw paymentUnknown();
    return foreignPayment(merchantId, paymentId, answer, deps.now());
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (error.failure === "refused") throw paymentUnknown(error.refusal);
    const detail = "The payment is not known here, and the service did not answer. Try again.";
    throw new ProblemError(problemOf("service-unreachable", detail, { retryAfterSeconds: 5 }));
  }
}

function paymentUnknown(service?: ServiceRefusal): ProblemError {
  const detail = "The payment is known neither here nor, it seems, to the service.";
  return new ProblemError(problemOf("payment-unknown", detail, { ...(service && { service }) }));
}

const environmentSchema = z.object({
  ORDERS_TABLE: z.string(),
  REQUEST_KEYS: jsonVariable(z.record(z.string(), z.string())),
  GATEWAY: jsonVariable(gatewaySettingsSchema),
  INBOX_QUEUE_URL: z.string(),
  METRICS_NAMESPACE: z.string(),
});

function wire(): (request: HttpRequest) => Promise<HttpAnswer> {
  const env = readEnvironment(environmentSchema, process.env);
  const now = Date.now;
  const log = createLog({ service: "query-order", namespace: env.METRICS_NAMESPACE, now });
  const dynamodb = createDynamoDbClient();
  const call = createDefaultGateway(env.REQUEST_KEYS, now, log);
  const deps: QueryOrder = {
    merchantIds: Object.keys(env.REQUEST_KEYS),
    loadOrder: (orderKey) => loadOrder(dynamodb, env.ORDERS_TABLE, orderKey),
    claimQuery: (orderKey, at) => claimQuery(dynamodb, env.ORDERS_TABLE, orderKey, at),
    noteFailedQuery: (orderKey, at) => noteFailedQuery(dynamodb, env.ORDERS_TABLE, orderKey, at),
    queryPayment: (merchantId, paymentId) => queryPayment(call, env.GATEWAY, merchantId, paymentId),
    sendToInbox: createInboxSender(env.INBOX_QUEUE_URL),
    traceparent: () => currentTraceparent(process.env["_X_AMZN_TRACE_ID"]),
    onFailure: (error) =>
      log({ outcome: "query-failed", ...errorFields(error) }, { QueryFailed: 1 }),
    now,
    log,
  };
  return (request) => queryOrder(request, deps);
}

export const handler = wire();
