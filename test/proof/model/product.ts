import { deliverEvent } from "../../../shared/delivery/deliver-event.ts";
import {
  loadOrder,
  loadPayment,
  loadPaymentsOf,
  saveOrder,
} from "../../../shared/orders/aggregate-store.ts";
import { storeBeginning, storeEnd, storePayment } from "../../../shared/orders/creation-store.ts";
import { createFailingSince } from "../../../shared/processing/failing-since.ts";
import type { QueuedMessage } from "../../../shared/processing/process-batch.ts";
import { processCallback } from "../../../shared/processing/process-callback.ts";
import { recordQuarantine } from "../../../shared/records/record-quarantine.ts";
import { recordReceipt } from "../../../shared/records/record-receipt.ts";
import { markDelivery, recordStore } from "../../../shared/records/record-store.ts";
import { createOrder } from "../../../shared/storefront/create-order.ts";
import { createExpiringCache } from "../../../shared/storefront/expiring-cache.ts";
import { queryOrder } from "../../../shared/storefront/query-order.ts";
import type { Database } from "../../../shared/table/database.ts";
import { type Input, memoryTables } from "../../builders/memory-table.ts";
import { openingDeps } from "../../builders/stamp.ts";
import { orderBody } from "../../shared/storefront/order-body.ts";

export const merchantId = "208800000000000001";
export const orderNo = "ORDER-1";
const tables = { callbacks: "callbacks", orders: "orders" };
const subscribers = ["books", "stock"].map((name) => ({
  name,
  types: ["*"],
  queueUrl: name,
  ordered: true,
}));

/** What happens at the n-th call of AWS that one run of a function makes. */
export interface Fault {
  readonly kind: "none" | "refused" | "answer lost" | "crash before" | "crash after";
  readonly call: number;
}

export const noFault: Fault = { kind: "none", call: 0 };

/** The wiring of the functions, over tables and queues in memory. Each run of a function may meet a fault. */
export function startProduct(now: () => number) {
  const answer = memoryTables();
  const sent: { readonly to: string; readonly event: string }[] = [];

  /** One run of a function. After a crash none of its calls returns. */
  function run<T>(fault: Fault, flow: (deps: Run) => Promise<T>) {
    let calls = 0;
    let writes = 0;
    let crash = () => {};
    const crashed = new Promise<undefined>((resolve) => (crash = () => resolve(undefined)));
    const fail = async (): Promise<never> => {
      if (!fault.kind.startsWith("crash")) throw unavailable();
      crash();
      return await new Promise<never>(() => {});
    };
    async function call<R>(work: () => R): Promise<R> {
      calls += 1;
      const kind = calls === fault.call ? fault.kind : "none";
      if (kind === "refused" || kind === "crash before") return await fail();
      const result = work();
      return kind === "none" ? result : await fail();
    }
    const database = databaseOver((input) =>
      call(() => {
        const result = answer(input);
        if (input.TransactItems ?? input.Item) writes += 1;
        return result;
      }),
    );
    const send = async ({ name }: { name: string }, { event }: { event: string }) =>
      call(() => void sent.push({ to: name, event }));
    const result = flow({ database, send, call });
    return { result: Promise.race([result, crashed]), writes: () => writes };
  }

  function databaseOver(answerTo: (input: Input) => Promise<object>): Database {
    const client = { send: ({ input }: { input: Input }) => answerTo(input) };
    return {
      client: client as unknown as Database["client"],
      now,
      pause: async () => {},
      endsAtMilliseconds: Number.MAX_SAFE_INTEGER,
      random: () => 0.5,
    };
  }

  interface Run {
    readonly database: Database;
    readonly send: Parameters<typeof deliverEvent>[2];
    readonly call: <R>(work: () => R) => Promise<R>;
  }

  const log = () => {};
  const paymentStore = { tables, notices: { recordExpiryDays: 90, now } };
  const settings = { source: "model", subscribers, recordExpiryDays: 90, now };

  return {
    sent,
    /** Without faults. */
    database: databaseOver(async (input) => answer(input)),

    process: (queued: QueuedMessage, fault: Fault) =>
      run(fault, ({ database, send }) =>
        processCallback(queued, {
          ...openingDeps,
          revise: () => Promise.reject(new Error("Nothing is redriven.")),
          record: (receipt, fact) =>
            recordReceipt(receipt, fact, settings, recordStore(database, tables)),
          deliver: (record) => deliverEvent(record, subscribers, send),
          mark: (record, marking) => markDelivery(database, tables, record, marking),
          isHopeless: () => false,
          recordQuarantine: (receipt, why) =>
            recordQuarantine(receipt, why, settings, recordStore(database, tables)),
          sendToDeadLetters: async (_message, why) => {
            throw why;
          },
          failingSince: createFailingSince(),
          now,
          log,
        }),
      ),

    create: (service: () => Promise<string>, fault: Fault) =>
      run(fault, ({ database }) =>
        createOrder(
          { body: JSON.stringify(orderBody()), isBase64Encoded: false },
          {
            merchantIds: [merchantId],
            redirects: { loopback: false },
            shortOrderNumbers: false,
            callbackUrl: "https://model.example/callbacks",
            loadOrder: (name) => loadOrder(database, "orders", name.merchantId, name.orderNo),
            loadPayments: (order) => loadPaymentsOf(database, "orders", order),
            begin: (...args) => storeBeginning(database, "orders", ...args),
            createPayment: async () => ({
              paymentId: await service(),
              checkoutUrl: "https://service.example/",
              status: "pending",
              isNumberShortened: false,
            }),
            storePayment: (...args) => storePayment(database, paymentStore, ...args),
            end: (...args) => storeEnd(database, "orders", ...args),
            newId: () => `attempt of ${now()}`,
            now,
            log,
            logAsCounter: log,
          },
        ),
      ),

    query: (
      service: (paymentId: string) => object,
      sendToInbox: (message: string, group: string) => void,
      fault: Fault,
    ) =>
      run(fault, ({ database, call }) =>
        queryOrder(
          { routeKey: "GET /orders/{orderNo}", pathParameters: { orderNo } },
          {
            merchantIds: [merchantId],
            loadOrder: () => loadOrder(database, "orders", merchantId, orderNo),
            loadPayment: (...name) => loadPayment(database, "orders", ...name),
            loadPayments: (order) => loadPaymentsOf(database, "orders", order),
            saveOrder: (order) => saveOrder(database, "orders", order),
            queryPayment: async (_merchantId, paymentId) => service(paymentId),
            sendToInbox: async ({ message, group }) =>
              await call(() => sendToInbox(message, group)),
            refusals: createExpiringCache(1, 1, now),
            hasTimeToAsk: () => true,
            onFailure: () => {},
            onRefundStatus: () => {},
            traceparent: () => "00-0-0-01",
            random: () => 0.5,
            now,
            log,
          },
        ),
      ),
  };
}

function unavailable(): Error {
  return Object.assign(new Error("unavailable"), {
    name: "InternalServerError",
    $fault: "server",
    $metadata: {},
  });
}
