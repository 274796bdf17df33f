import { setTimeout as pause } from "node:timers/promises";
import type { Context, ScheduledEvent } from "aws-lambda";
import * as z from "zod/mini";
import { createDefaultGateway } from "../shared/gateway/default-gateway.ts";
import { gatewaySettingsSchema } from "../shared/gateway/gateway-settings.ts";
import { queryPayment } from "../shared/gateway/operations.ts";
import { createInboxSender } from "../shared/inbox/send-to-inbox.ts";
import { createSenderKey } from "../shared/keys/stamp-keys.ts";
import {
  loadOrderByKey,
  loadReadablePaymentsOf,
  replaceOrder,
} from "../shared/orders/aggregate-store.ts";
import { integerVariable, jsonVariable, readEnvironment } from "../shared/read-environment.ts";
import { findDue } from "../shared/reconciling/due-line.ts";
import {
  createPace,
  type ReconcileOrders,
  reconcileOrders,
} from "../shared/reconciling/reconcile-orders.ts";
import { takeLease } from "../shared/reconciling/take-lease.ts";
import { createDatabases } from "../shared/table/database.ts";
import { createLog, currentTraceparent } from "../shared/telemetry/log-line.ts";
import {
  answerMarginMilliseconds,
  checkMilliseconds,
  tableCallMilliseconds,
} from "../shared/timing.ts";

const environmentSchema = z.object({
  CALLBACKS_TABLE: z.string(),
  ORDERS_TABLE: z.string(),
  REQUEST_KEYS: jsonVariable(z.record(z.string(), z.string())),
  GATEWAY: jsonVariable(gatewaySettingsSchema),
  INBOX_QUEUE_URL: z.string(),
  STAMP_KEY: z.string(),
  RECORD_EXPIRY_DAYS: integerVariable,
  METRICS_NAMESPACE: z.string(),
});

function wire(): (event: ScheduledEvent, context: Context) => Promise<void> {
  const env = readEnvironment(environmentSchema, process.env);
  const now = Date.now;
  const logOptions = { namespace: env.METRICS_NAMESPACE, now };
  const log = createLog({ service: "reconcile-orders", ...logOptions });
  const databaseUntil = createDatabases(now);
  // No caller waits for the result, so a failed query is not retried here: a later run queries again.
  const call = createDefaultGateway(env.REQUEST_KEYS, now, log, {
    callerCodes: env.GATEWAY.callerCodes,
    mostAttempts: 1,
  });
  const table = env.ORDERS_TABLE;
  const tables = { callbacks: env.CALLBACKS_TABLE, orders: table };
  const notices = { recordExpiryDays: env.RECORD_EXPIRY_DAYS, now };
  const stampKey = createSenderKey({ secretId: env.STAMP_KEY, now, log });
  const instance = {
    merchantIds: Object.keys(env.REQUEST_KEYS),
    queryPayment: (merchantId: string, paymentId: string) =>
      queryPayment(call, env.GATEWAY, merchantId, paymentId),
    sendToInbox: createInboxSender(env.INBOX_QUEUE_URL, stampKey.current),
    traceparent: () => currentTraceparent(process.env["_X_AMZN_TRACE_ID"]),
    waitForTurn: createPace(now, pause),
    random: Math.random,
    now,
    log,
  };
  return async (_event, context) => {
    const endsAt = now() + context.getRemainingTimeInMillis() - answerMarginMilliseconds;
    const forOneCall = () => databaseUntil(Math.min(endsAt, now() + tableCallMilliseconds));
    const deps: ReconcileOrders = {
      ...instance,
      takeLease: () => takeLease(forOneCall(), table),
      findDue: (range) => findDue(databaseUntil(endsAt), table, range),
      loadOrder: (aggregateKey) => loadOrderByKey(forOneCall(), table, aggregateKey),
      loadPayments: (order) => loadReadablePaymentsOf(forOneCall(), table, order),
      saveOrder: (order, stored) => replaceOrder(forOneCall(), tables, order, stored, notices),
      hasTimeToAsk: () => now() + checkMilliseconds <= endsAt,
    };
    await reconcileOrders(deps);
  };
}

export const handler = wire();
