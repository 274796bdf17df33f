import { randomBytes } from "node:crypto";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import * as z from "zod/mini";
import { createDefaultGateway } from "../shared/gateway/default-gateway.ts";
import { gatewaySettingsSchema } from "../shared/gateway/gateway-settings.ts";
import { createPayment } from "../shared/gateway/operations.ts";
import type { HttpResponse } from "../shared/http/http-response.ts";
import { loadOrder, loadPaymentsOf } from "../shared/orders/aggregate-store.ts";
import {
  storeBeginning,
  storeEnd,
  storeOtherOrder,
  storePayment,
} from "../shared/orders/creation-store.ts";
import { integerVariable, jsonVariable, readEnvironment } from "../shared/read-environment.ts";
import { type CreateOrder, createOrder } from "../shared/storefront/create-order.ts";
import { redirectRulesSchema } from "../shared/storefront/redirect-faults.ts";
import { createDatabases, type Database } from "../shared/table/database.ts";
import { createLog } from "../shared/telemetry/log-line.ts";
import {
  answerMarginMilliseconds,
  createCallMilliseconds,
  storeMilliseconds,
  tableCallMilliseconds,
} from "../shared/timing.ts";

/**
 * Enough to distinguish the attempts of one order. Short, because a larger item makes every write of the order cost
 * more.
 */
const attemptIdBytes = 9;

const environmentSchema = z.object({
  CALLBACKS_TABLE: z.string(),
  ORDERS_TABLE: z.string(),
  REQUEST_KEYS: jsonVariable(z.record(z.string(), z.string())),
  GATEWAY: jsonVariable(gatewaySettingsSchema),
  CALLBACK_URL: z.string(),
  REDIRECTS: jsonVariable(redirectRulesSchema),
  RECORD_EXPIRY_DAYS: integerVariable,
  METRICS_NAMESPACE: z.string(),
});

function wire(): (request: APIGatewayProxyEventV2, context: Context) => Promise<HttpResponse> {
  const env = readEnvironment(environmentSchema, process.env);
  const now = Date.now;
  const logOptions = { namespace: env.METRICS_NAMESPACE, now };
  const log = createLog({ service: "create-order", ...logOptions });
  // The alarm on new attention reads one metric, that of count-attention, so a notice that is not written counts there.
  const logAsCounter = createLog({ service: "count-attention", ...logOptions });
  const databaseUntil = createDatabases(now);
  const call = createDefaultGateway(env.REQUEST_KEYS, now, log, {
    callerCodes: env.GATEWAY.callerCodes,
  });
  const table = env.ORDERS_TABLE;
  const paymentStore = {
    tables: { callbacks: env.CALLBACKS_TABLE, orders: table },
    notices: { recordExpiryDays: env.RECORD_EXPIRY_DAYS, now },
  };
  const depsWith = (databases: Databases): CreateOrder => ({
    merchantIds: Object.keys(env.REQUEST_KEYS),
    redirects: env.REDIRECTS,
    shortOrderNumbers: env.GATEWAY.shortOrderNumbers,
    exactSums: env.GATEWAY.exactSums,
    callerCodes: env.GATEWAY.callerCodes,
    callbackUrl: env.CALLBACK_URL,
    loadOrder: ({ merchantId, orderNo }) =>
      loadOrder(databases.forOneCall(), table, merchantId, orderNo),
    loadPayments: (order) => loadPaymentsOf(databases.forOneCall(), table, order),
    begin: storeBeginning.bind(undefined, databases.beforeSending, table),
    createPayment: (merchantId, body) => createPayment(call, env.GATEWAY, merchantId, body),
    storePayment: storePayment.bind(undefined, databases.afterSending, paymentStore),
    storeOtherOrder: storeOtherOrder.bind(undefined, databases.afterSending, paymentStore),
    end: (...ended) => storeEnd(databases.forOneCall(), table, ...ended),
    newId: () => randomBytes(attemptIdBytes).toString("base64url"),
    now,
    log,
    logAsCounter,
  });
  return (request, context) => {
    const endsAt = now() + context.getRemainingTimeInMillis() - answerMarginMilliseconds;
    // Once the request is sent, there must be time for the response and for storing it.
    const sendsBy = endsAt - createCallMilliseconds - storeMilliseconds;
    const databases = {
      beforeSending: databaseUntil(sendsBy),
      afterSending: databaseUntil(endsAt),
      forOneCall: () => databaseUntil(Math.min(endsAt, now() + tableCallMilliseconds)),
    };
    return createOrder(request, depsWith(databases));
  };
}

/** Storing a payment that the service returned may take all the time of the function. Other calls get less. */
interface Databases {
  readonly beforeSending: Database;
  readonly afterSending: Database;
  readonly forOneCall: () => Database;
}

export const handler = wire();
