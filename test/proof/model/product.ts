import type { SendEvent } from "../../../shared/delivery/delivery.ts";
import type { QueuedMessage } from "../../../shared/processing/process-batch.ts";
import { processCallback } from "../../../shared/processing/process-callback.ts";
import { createOrder } from "../../../shared/storefront/create-order.ts";
import { queryOrder } from "../../../shared/storefront/query-order.ts";
import { databaseOver, type Input, memoryTables } from "../../builders/memory-table.ts";
import {
  type ProcessingStores,
  type StorefrontStores,
  wireCreation,
  wireProcessing,
  wireQuery,
} from "../../builders/product.ts";
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

/** The flows of the functions, over tables and queues in memory. Each run of a function may meet a fault. */
export function startProduct(now: () => number) {
  const stack = {
    tables,
    source: "model",
    merchantIds: [merchantId],
    subscribers,
    now,
    log: () => {},
  };
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
    const answerTo = (input: Input) =>
      call(() => {
        const result = answer(input);
        if (input.TransactItems ?? input.Item) writes += 1;
        return result;
      });
    const send: SendEvent = async ({ name }, { event }) =>
      call(() => void sent.push({ to: name, event }));
    const around = { ...stack, database: databaseOver(answerTo, now), send };
    const result = flow({ around, call });
    return { result: Promise.race([result, crashed]), writes: () => writes };
  }

  interface Run {
    readonly around: ProcessingStores & StorefrontStores;
    readonly call: <R>(work: () => R) => Promise<R>;
  }

  return {
    sent,
    /** Without faults. */
    database: databaseOver(async (input) => answer(input), now),

    process: (queued: QueuedMessage, fault: Fault) =>
      run(fault, ({ around }) => processCallback(queued, wireProcessing(around))),

    create: (service: () => Promise<string>, fault: Fault) => {
      const createPayment = async () => ({
        state: "created" as const,
        paymentId: await service(),
        checkoutUrl: "https://service.example/",
        status: "pending",
        isNumberShortened: false,
      });
      const newId = () => `attempt of ${now()}`;
      const request = { body: JSON.stringify(orderBody()), isBase64Encoded: false };
      return run(fault, ({ around }) =>
        createOrder(request, wireCreation(around, { createPayment, newId })),
      );
    },

    query: (
      service: (paymentId: string) => object,
      sendToInbox: (message: string, group: string) => void,
      fault: Fault,
    ) => {
      const request = { routeKey: "GET /orders/{orderNo}", pathParameters: { orderNo } };
      return run(fault, ({ around, call }) =>
        queryOrder(
          request,
          wireQuery(around, {
            queryPayment: async (_merchantId, paymentId) => service(paymentId),
            sendToInbox: async ({ message, group }) =>
              await call(() => sendToInbox(message, group)),
          }),
        ),
      );
    },
  };
}

function unavailable(): Error {
  return Object.assign(new Error("unavailable"), {
    name: "InternalServerError",
    $fault: "server",
    $metadata: {},
  });
}
