import type { Notice } from "../../../shared/attention/notice.ts";
import type { PaymentFact } from "../../../shared/facts/fact.ts";
import type { InboxMessage } from "../../../shared/inbox/inbox-message.ts";
import type { Aggregate } from "../../../shared/orders/aggregate-store.ts";
import type { Order } from "../../../shared/orders/order.ts";
import type { CallbackRecord } from "../../../shared/records/callback-record.ts";
import { planReceipt } from "../../../shared/records/plan-receipt.ts";
import type { Receipt } from "../../../shared/records/receipt.ts";
import { recordReceipt, reviseRecord } from "../../../shared/records/record-receipt.ts";
import { anOrder, expected, merchantId, successFact } from "../orders/facts.ts";

export const now = Date.UTC(2026, 10, 15);
const settings = { source: "urn:test", subscribers: [], recordExpiryDays: 90, now: () => now };
const message: InboxMessage = {
  origin: "callback",
  merchantId,
  content: { kind: "text", text: "words", result: undefined },
  deduplication: { key: "c1", replayable: false },
  receivedAtMilliseconds: now,
  traceparent: "00-1-2-01",
  keyVersion: "v",
};
export const receipt: Receipt = { message, body: "the message", group: "g" };

const planOf = (aggregate: Order, fact: PaymentFact) =>
  planReceipt(receipt, { kind: "order", fact, aggregate, payments: [] }, false, settings);

/** What a receipt led to, before anything was restored. */
export function receivedBy(aggregate: Order, fact: PaymentFact = successFact()) {
  const plan = planOf(aggregate, fact);
  return { record: plan.record, order: (plan.aggregate ?? aggregate) as Order, fact };
}

/** A store that has the record, and an order as the restored table shows it. */
export function storeOf(order: Order, record: CallbackRecord, races = 0) {
  const saved: Aggregate[] = [];
  const noticed: Notice[] = [];
  let remaining = races;
  return {
    saved,
    noticed,
    loadContext: async (fact: unknown) =>
      ({
        kind: "order",
        fact: fact as PaymentFact,
        aggregate: (saved.at(-1) as Order) ?? order,
        payments: [],
      }) as const,
    commit: async () => ({ kind: "recorded", record }) as const,
    save: async (aggregates: readonly Aggregate[], notices: readonly Notice[]) => {
      remaining -= 1;
      if (remaining >= 0) return false;
      saved.push(...aggregates);
      noticed.push(...notices);
      return true;
    },
    retryOnContention: async <T>(turn: () => Promise<T | undefined>): Promise<T> => {
      let done = await turn();
      while (done === undefined) done = await turn();
      return done;
    },
  };
}

export const empty = anOrder({ expected });
export const paid = receivedBy(empty);

export const ways = {
  "a repeat": (store: ReturnType<typeof storeOf>, { fact }: typeof paid) =>
    recordReceipt(receipt, fact, settings, store),
  "a redrive": (store: ReturnType<typeof storeOf>, { fact, record }: typeof paid) =>
    reviseRecord(record, receipt, fact, settings, store),
};
