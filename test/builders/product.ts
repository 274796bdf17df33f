import { deliverEvent } from "../../shared/delivery/deliver-event.ts";
import type { SendEvent } from "../../shared/delivery/delivery.ts";
import type { Subscriber } from "../../shared/delivery/subscriber.ts";
import {
  loadOrder,
  loadPayment,
  loadPaymentsOf,
  saveOrder,
} from "../../shared/orders/aggregate-store.ts";
import {
  storeBeginning,
  storeEnd,
  storeOtherOrder,
  storePayment,
} from "../../shared/orders/creation-store.ts";
import { createFailingSince } from "../../shared/processing/failing-since.ts";
import type { ProcessCallback } from "../../shared/processing/process-callback.ts";
import { loadRecord } from "../../shared/records/load-record.ts";
import { recordQuarantine } from "../../shared/records/record-quarantine.ts";
import { recordReceipt, reviseRecord } from "../../shared/records/record-receipt.ts";
import { markDelivery, recordStore } from "../../shared/records/record-store.ts";
import type { CreateOrder } from "../../shared/storefront/create-order.ts";
import { createExpiringCache } from "../../shared/storefront/expiring-cache.ts";
import type { QueryOrder } from "../../shared/storefront/query-order.ts";
import type { Database } from "../../shared/table/database.ts";
import type { WriteLine } from "../../shared/telemetry/log-line.ts";
import { openingDeps } from "./stamp.ts";

/** What all flows of the functions need. */
interface Stores {
  readonly database: Database;
  readonly tables: { readonly callbacks: string; readonly orders: string };
  readonly now: () => number;
  readonly log: WriteLine;
}

export interface StorefrontStores extends Stores {
  readonly merchantIds: readonly string[];
}

export interface ProcessingStores extends Stores {
  /** The source of the events. */
  readonly source: string;
  readonly subscribers: readonly Subscriber[];
  readonly send: SendEvent;
}

/** The default of the config. */
const recordExpiryDays = 90;

/** process-callback, wired as its function wires it, without its time limits. */
export function wireProcessing(stores: ProcessingStores): ProcessCallback {
  const { database, tables, source, subscribers, send, now, log } = stores;
  const settings = { source, subscribers, recordExpiryDays, now };
  const store = recordStore(database, tables);
  return {
    ...openingDeps,
    loadRecord: (named) => loadRecord(database, tables.callbacks, named),
    record: (receipt, fact) => recordReceipt(receipt, fact, settings, store),
    revise: (record, receipt, fact) => reviseRecord(record, receipt, fact, settings, store),
    deliver: (record) => deliverEvent(record, subscribers, send),
    mark: (record, marking) => markDelivery(database, tables, record, marking),
    isHopeless: () => false,
    recordQuarantine: (receipt, why) => recordQuarantine(receipt, why, settings, store),
    sendToDeadLetters: async (_message, why) => {
      throw why;
    },
    failingSince: createFailingSince(),
    now,
    log,
  };
}

/** create-order, in the same way. */
export function wireCreation(
  { database, tables, merchantIds, now, log }: StorefrontStores,
  service: Pick<CreateOrder, "createPayment" | "newId">,
): CreateOrder {
  const { orders } = tables;
  const paymentStore = { tables, notices: { recordExpiryDays, now } };
  return {
    ...service,
    merchantIds,
    redirects: { loopback: false },
    shortOrderNumbers: false,
    exactSums: true,
    callerCodes: [],
    callbackUrl: "https://api.example/callbacks",
    loadOrder: (name) => loadOrder(database, orders, name.merchantId, name.orderNo),
    loadPayments: (order) => loadPaymentsOf(database, orders, order),
    begin: (...begun) => storeBeginning(database, orders, ...begun),
    storePayment: (...paid) => storePayment(database, paymentStore, ...paid),
    storeOtherOrder: (...other) => storeOtherOrder(database, paymentStore, ...other),
    end: (...ended) => storeEnd(database, orders, ...ended),
    now,
    log,
    logAsCounter: log,
  };
}

/** query-order, in the same way. */
export function wireQuery(
  { database, tables: { orders }, merchantIds, now, log }: StorefrontStores,
  asked: Pick<QueryOrder, "queryPayment" | "sendToInbox">,
): QueryOrder {
  return {
    ...asked,
    merchantIds,
    loadOrder: (name) => loadOrder(database, orders, name.merchantId, name.orderNo),
    loadPayment: (...name) => loadPayment(database, orders, ...name),
    loadPayments: (order) => loadPaymentsOf(database, orders, order),
    saveOrder: (order) => saveOrder(database, orders, order),
    refusals: createExpiringCache(1, 1, now),
    hasTimeToAsk: () => true,
    onFailure: () => {},
    onRefundStatus: () => {},
    traceparent: () => "00-0-0-01",
    random: () => 0.5,
    now,
    log,
  };
}
