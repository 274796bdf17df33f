import { describe, expect, test } from "vitest";
import type { Notice } from "../../../shared/attention/notice.ts";
import type { PaymentFact } from "../../../shared/facts/fact.ts";
import type { InboxMessage } from "../../../shared/inbox/inbox-message.ts";
import type { Aggregate } from "../../../shared/orders/aggregate-store.ts";
import type { Order } from "../../../shared/orders/order.ts";
import type { KnownFactRecord, PublishedRecord } from "../../../shared/records/callback-record.ts";
import { planReceipt } from "../../../shared/records/plan-receipt.ts";
import type { Receipt } from "../../../shared/records/receipt.ts";
import { recordReceipt, reviseRecord } from "../../../shared/records/record-receipt.ts";
import { anOrder, expected, merchantId, other, successFact } from "../orders/facts.ts";

const now = Date.UTC(2026, 10, 15);
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
const receipt: Receipt = { message, body: "the message", group: "g" };

const planOf = (aggregate: Order, fact: PaymentFact) =>
  planReceipt(receipt, { kind: "order", fact, aggregate, payments: [] }, false, settings);

/** What a receipt led to, before anything was restored. */
function receivedBy(aggregate: Order, fact: PaymentFact = successFact()) {
  const plan = planOf(aggregate, fact);
  return { record: plan.record, order: (plan.aggregate ?? aggregate) as Order, fact };
}

/** A store that has the record, and an order as the restored table shows it. */
function storeOf(order: Order, record: PublishedRecord | KnownFactRecord, races = 0) {
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
    save: async (aggregate: Aggregate, notices: readonly Notice[] = []) => {
      remaining -= 1;
      if (remaining >= 0) return false;
      saved.push(aggregate);
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

const empty = anOrder({ expected });
const paid = receivedBy(empty);

const ways = {
  "a repeat": (store: ReturnType<typeof storeOf>, { fact }: typeof paid) =>
    recordReceipt(receipt, fact, settings, store),
  "a redrive": (store: ReturnType<typeof storeOf>, { fact, record }: typeof paid) =>
    reviseRecord(record, receipt, fact, settings, store),
};

describe.each(Object.entries(ways))("%s of a record", (_name, see) => {
  test("whose order has the fact writes nothing", async () => {
    const store = storeOf(paid.order, paid.record);
    expect(await see(store, paid)).toEqual({ record: paid.record, isNew: false });
    expect(store.saved).toEqual([]);
  });

  test("whose order lacks the fact gives it back: status, fact and sequence", async () => {
    const store = storeOf(empty, paid.record);
    expect(await see(store, paid)).toEqual({ record: paid.record, isNew: false, isRestored: true });
    const { status, facts, sequence, successes, payment } = paid.order;
    expect(store.saved).toMatchObject([{ status, facts, sequence, successes, payment }]);
    // Seen once more, nothing is missing.
    expect(await see(store, paid)).toEqual({ record: paid.record, isNew: false });
  });

  test("takes the higher sequence of both", async () => {
    const late = { ...paid.record, sequence: 7 } as PublishedRecord;
    const store = storeOf(empty, late);
    await see(store, { ...paid, record: late });
    expect(store.saved).toMatchObject([{ sequence: 7, facts: { [late.factId]: 7 } }]);
    const ahead = storeOf({ ...empty, sequence: 9, facts: { other: 9 } }, late);
    await see(ahead, { ...paid, record: late });
    expect(ahead.saved).toMatchObject([{ sequence: 9, facts: { other: 9, [late.factId]: 7 } }]);
  });

  test("raises a sequence that is behind, also if the fact is there", async () => {
    const late = { ...paid.record, sequence: 7 } as PublishedRecord;
    const store = storeOf(paid.order, late);
    await see(store, { ...paid, record: late });
    expect(store.saved).toMatchObject([{ sequence: 7, status: "success" }]);
  });

  test("keeps the flags that its event had, and raises no others", async () => {
    const unknown = anOrder({});
    const store = storeOf(unknown, paid.record);
    await see(store, paid);
    expect(store.saved).toMatchObject([{ flags: [] }]);
    const late = { ...paid.record, flags: ["late"] } as PublishedRecord;
    const flagged = storeOf(unknown, late);
    await see(flagged, { ...paid, record: late });
    expect(flagged.saved).toMatchObject([{ flags: ["late"] }]);
  });

  test("ends what reconciliation has noticed since the restore, and begins nothing", async () => {
    const open = { ...empty, flags: ["unresolved"], hasUnreadableAnswer: true };
    const store = storeOf(open, paid.record);
    await see(store, paid);
    expect(store.saved).toMatchObject([{ status: "success", flags: [] }]);
    expect(store.noticed).toMatchObject([
      { kind: "unresolved", endedAt: expect.any(String) },
      { kind: "unreadable-answer", endedAt: expect.any(String) },
    ]);
  });

  test("reads the order again if another writer was first", async () => {
    const store = storeOf(empty, paid.record, 2);
    expect(await see(store, paid)).toMatchObject({ isRestored: true });
    expect(store.saved).toHaveLength(1);
  });
});

describe("a known fact that came with other details", () => {
  // Published without its transaction, repeated with it: one fact, under the id of the first.
  const first = receivedBy(empty, successFact({ transactionId: undefined }));
  const again = receivedBy(first.order, successFact());

  test("is not taken for missing", async () => {
    expect(again.record.outcome).toBe("known-fact");
    const store = storeOf(again.order, again.record);
    await ways["a repeat"](store, again);
    expect(store.saved).toEqual([]);
  });

  test("that the order lacks gets the next sequence", async () => {
    const store = storeOf(empty, again.record);
    await ways["a redrive"](store, again);
    expect(store.saved).toMatchObject([{ status: "success", sequence: 1 }]);
    await ways["a redrive"](store, again);
    expect(store.saved).toHaveLength(1);
  });
});

test.each(Object.entries(ways))(
  "%s of a known fact with another amount is no second payment, although the order has learned more since",
  async (_name, see) => {
    const first = receivedBy(empty, successFact({ transactionId: undefined }));
    const differs = receivedBy(
      first.order,
      successFact({ transactionId: undefined, amount: other }),
    );
    expect(differs.record).toMatchObject({ outcome: "known-fact", flags: ["mismatch"] });
    const { order } = receivedBy(differs.order, successFact());
    expect(order).toMatchObject({ sequence: 1, successes: [{ transactionId: "T1" }] });
    const store = storeOf(order, differs.record);
    expect(await see(store, differs)).toEqual({ record: differs.record, isNew: false });
    expect(store.saved).toEqual([]);
  },
);

test("what only a repeat reported is restored, so that a second payment is not taken for the first", async () => {
  const first = receivedBy(empty, successFact({ transactionId: undefined }));
  const received = receivedBy(first.order, successFact());
  const second = receivedBy(received.order, successFact({ transactionId: "T2" }));
  expect(received.record.outcome).toBe("known-fact");
  let order = empty;
  for (const seen of [first, received, second]) {
    const store = storeOf(order, seen.record);
    await ways["a redrive"](store, seen);
    order = (store.saved.at(-1) ?? order) as Order;
  }
  const { successes, payment, facts, sequence, flags } = second.order;
  expect(successes).toMatchObject([{ transactionId: "T1" }, { transactionId: "T2" }]);
  expect(order).toMatchObject({ successes, payment, facts, sequence, flags });
});
