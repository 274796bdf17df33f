import type { SendEvent } from "../../shared/delivery/delivery.ts";
import { loadOrderByKey, replaceOrder } from "../../shared/orders/aggregate-store.ts";
import type { QueuedMessage } from "../../shared/processing/process-batch.ts";
import { processCallback } from "../../shared/processing/process-callback.ts";
import { reconcileOrders } from "../../shared/reconciling/reconcile-orders.ts";
import { type CreateOrder, createOrder } from "../../shared/storefront/create-order.ts";
import { queryOrder } from "../../shared/storefront/query-order.ts";
import type { LogFields } from "../../shared/telemetry/log-line.ts";
import { databaseOver, type MemoryItems, memoryTables } from "../builders/memory-table.ts";
import { wireCreation, wireProcessing, wireQuery } from "../builders/product.ts";

export const merchantId = "M1";
export const tables = { callbacks: "callbacks", orders: "orders" };
const subscribers = ["books", "stock"].map((name) => ({
  name,
  types: ["*"],
  queueUrl: name,
  ordered: true,
}));

/** What the product is given from outside. */
export interface Outside {
  readonly now: () => number;
  readonly items: MemoryItems;
  readonly isRefused: (subscriber: string) => boolean;
  readonly queryPayment: (paymentId: string) => object;
  readonly toInbox: (message: string, group: string) => void;
  readonly log: (fields: LogFields) => void;
}

/** The flows of the functions over tables and queues in memory. */
export function startProduct({ now, items, log, isRefused, queryPayment, toInbox }: Outside) {
  const answer = memoryTables(items);
  const database = databaseOver(async (input) => answer(input), now);
  const sent: { readonly to: string; readonly event: string }[] = [];
  const send: SendEvent = async ({ name }, { event }) => {
    if (isRefused(name)) {
      throw Object.assign(new Error("gone"), {
        name: "QueueDoesNotExist",
        $metadata: { httpStatusCode: 400 },
      });
    }
    sent.push({ to: name, event });
  };
  const stack = { tables, source: "urn:paycast:lives", merchantIds: [merchantId], subscribers };
  const around = { ...stack, database, send, now };
  const quiet = { ...around, log: () => {} };
  const processing = wireProcessing({ ...around, log });
  const query = wireQuery(quiet, {
    queryPayment: async (_merchantId, paymentId) => queryPayment(paymentId),
    sendToInbox: async ({ message, group }) => toInbox(message, group),
  });
  let attempts = 0;
  const newId = () => {
    attempts += 1;
    return `attempt-${attempts}`;
  };

  const create = async (body: object, createPayment: CreateOrder["createPayment"]) =>
    await createOrder(
      { body: JSON.stringify(body), isBase64Encoded: false },
      wireCreation(quiet, { createPayment, newId }),
    );

  const get = async (
    path: { orderNo: string } | { paymentId: string },
    queryStringParameters: Record<string, string> = {},
  ) => {
    const name = "orderNo" in path ? "orders/{orderNo}" : "payments/{paymentId}";
    const routeKey = `GET /${name}`;
    return await queryOrder({ routeKey, pathParameters: path, queryStringParameters }, query);
  };

  /** One run. Returns its log line. */
  const reconcile = async () => {
    let line: object = {};
    const notices = { recordExpiryDays: 90, now };
    await reconcileOrders({
      ...query,
      takeLease: async () => true,
      findDue: ({ line, until }) => dueEntries(items, line === "due" ? until : 0),
      loadOrder: (key) => loadOrderByKey(database, tables.orders, key),
      saveOrder: (order, stored) => replaceOrder(database, tables, order, stored, notices),
      waitForTurn: async () => {},
      log: (fields, metrics) => {
        line = { ...fields, ...metrics };
      },
    });
    return line;
  };

  const process = async (queued: QueuedMessage) => await processCallback(queued, processing);
  return { sent, database, process, create, get, reconcile };
}

/** The sparse index of due orders. */
export async function* dueEntries(items: MemoryItems, untilMilliseconds: number) {
  const entries = [...items.values()].flatMap((item) =>
    item["dueShard"]?.S === undefined
      ? []
      : [
          {
            aggregateKey: String(item["aggregateKey"]?.S),
            dueAtMilliseconds: Number(item["dueAtMilliseconds"]?.N),
          },
        ],
  );
  yield* entries
    .filter(({ dueAtMilliseconds }) => dueAtMilliseconds <= untilMilliseconds)
    .sort((left, right) => left.dueAtMilliseconds - right.dueAtMilliseconds);
}
