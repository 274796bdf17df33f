import { loadOrder, loadPaymentsOf } from "../../../shared/orders/aggregate-store.ts";
import {
  storeBeginning,
  storeEnd,
  storeOtherOrder,
  storePayment,
} from "../../../shared/orders/creation-store.ts";
import { type CreateOrder, createOrder } from "../../../shared/storefront/create-order.ts";
import type { Database } from "../../../shared/table/database.ts";
import type { WriteLine } from "../../../shared/telemetry/log-line.ts";
import { memoryDatabase } from "../../builders/memory-table.ts";
import { now, orderBody } from "./order-body.ts";

export interface InMemory {
  readonly log: WriteLine;
  readonly body?: object;
  readonly merchantId?: string;
  /** Where earlier orders are. By default a new one. */
  readonly database?: Database;
  readonly now?: () => number;
  /** In place of a service that creates every order. */
  readonly changes?: Partial<CreateOrder>;
}

export const paid = {
  state: "created" as const,
  paymentId: "P1",
  checkoutUrl: "https://service.example/",
  status: "pending",
  isNumberShortened: false,
};

/** POST /orders over a table in memory. The config calls the service's code 40012 the caller's fault. */
export async function createInMemory({
  log,
  body = orderBody(),
  merchantId = "M1",
  now: clock = () => now,
  database = memoryDatabase(clock()),
  changes = {},
}: InMemory) {
  const orders = "orders";
  const stored = {
    tables: { callbacks: "callbacks", orders },
    notices: { recordExpiryDays: 1, now: clock },
  };
  const deps: CreateOrder = {
    merchantIds: [merchantId],
    redirects: { loopback: false },
    shortOrderNumbers: false,
    exactSums: true,
    callerCodes: ["40012"],
    callbackUrl: "https://callbacks.example/callbacks",
    loadOrder: (name) => loadOrder(database, orders, name.merchantId, name.orderNo),
    loadPayments: (order) => loadPaymentsOf(database, orders, order),
    begin: (...args) => storeBeginning(database, orders, ...args),
    createPayment: async () => paid,
    storePayment: (...args) => storePayment(database, stored, ...args),
    storeOtherOrder: (...args) => storeOtherOrder(database, stored, ...args),
    end: (...args) => storeEnd(database, orders, ...args),
    newId: () => `attempt of ${clock()}`,
    now: clock,
    log,
    logAsCounter: log,
  };
  const request = { body: JSON.stringify(body), isBase64Encoded: false };
  return await createOrder(request, { ...deps, ...changes });
}
