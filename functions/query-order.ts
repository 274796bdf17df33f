import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import * as z from "zod/mini";
import { createDefaultGateway } from "../shared/gateway/default-gateway.ts";
import { gatewaySettingsSchema } from "../shared/gateway/gateway-settings.ts";
import { queryPayment } from "../shared/gateway/operations.ts";
import type { HttpResponse } from "../shared/http/http-response.ts";
import { createInboxSender } from "../shared/inbox/send-to-inbox.ts";
import { createSenderKey } from "../shared/keys/stamp-keys.ts";
import {
  loadOrder,
  loadPayment,
  loadPaymentsOf,
  saveOrder,
} from "../shared/orders/aggregate-store.ts";
import { jsonVariable, readEnvironment } from "../shared/read-environment.ts";
import { createExpiringCache } from "../shared/storefront/expiring-cache.ts";
import { type QueryOrder, queryOrder } from "../shared/storefront/query-order.ts";
import { createDatabases, type Database } from "../shared/table/database.ts";
import { failureFields } from "../shared/telemetry/failure-fields.ts";
import { createLog, currentTraceparent } from "../shared/telemetry/log-line.ts";
import {
  answerMarginMilliseconds,
  askMilliseconds,
  tableCallMilliseconds,
  unknownPaymentMilliseconds,
} from "../shared/timing.ts";

const environmentSchema = z.object({
  ORDERS_TABLE: z.string(),
  REQUEST_KEYS: jsonVariable(z.record(z.string(), z.string())),
  GATEWAY: jsonVariable(gatewaySettingsSchema),
  INBOX_QUEUE_URL: z.string(),
  STAMP_KEY: z.string(),
  METRICS_NAMESPACE: z.string(),
});

const mostUnknownPayments = 1_000;

function wire(): (request: APIGatewayProxyEventV2, context: Context) => Promise<HttpResponse> {
  const env = readEnvironment(environmentSchema, process.env);
  const now = Date.now;
  const log = createLog({ service: "query-order", namespace: env.METRICS_NAMESPACE, now });
  const databaseUntil = createDatabases(now);
  const call = createDefaultGateway(env.REQUEST_KEYS, now, log, {
    callerCodes: env.GATEWAY.callerCodes,
  });
  const table = env.ORDERS_TABLE;
  const stampKey = createSenderKey({ secretId: env.STAMP_KEY, now, log });
  const sendToInbox = createInboxSender(env.INBOX_QUEUE_URL, stampKey.current);
  const refusals: QueryOrder["refusals"] = createExpiringCache(
    mostUnknownPayments,
    unknownPaymentMilliseconds,
    now,
  );
  const depsWith = (endsAt: number, forOneCall: () => Database): QueryOrder => ({
    merchantIds: Object.keys(env.REQUEST_KEYS),
    loadOrder: ({ merchantId, orderNo }) => loadOrder(forOneCall(), table, merchantId, orderNo),
    loadPayment: (...name) => loadPayment(forOneCall(), table, ...name),
    loadPayments: (order) => loadPaymentsOf(forOneCall(), table, order),
    saveOrder: (order) => saveOrder(forOneCall(), table, order),
    queryPayment: (merchantId, paymentId) => queryPayment(call, env.GATEWAY, merchantId, paymentId),
    sendToInbox,
    hasTimeToAsk: () => now() + askMilliseconds <= endsAt,
    traceparent: () => currentTraceparent(process.env["_X_AMZN_TRACE_ID"]),
    refusals,
    onFailure: ({ merchantId, orderNo }, paymentId, error) =>
      log({ outcome: "query-failed", merchantId, orderNo, paymentId, ...failureFields(error) }),
    onRefundStatus: ({ merchantId, orderNo }, paymentId) =>
      log(
        { outcome: "refund-status-answered", merchantId, orderNo, paymentId },
        { RefundStatusAnswered: 1 },
      ),
    now,
    random: Math.random,
    log,
  });
  return (request, context) => {
    const endsAt = now() + context.getRemainingTimeInMillis() - answerMarginMilliseconds;
    const forOneCall = () => databaseUntil(Math.min(endsAt, now() + tableCallMilliseconds));
    return queryOrder(request, depsWith(endsAt, forOneCall));
  };
}

export const handler = wire();
