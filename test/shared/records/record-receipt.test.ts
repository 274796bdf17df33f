import { describe, expect, test } from "vitest";
import type { AttentionSince } from "../../../shared/attention/attention.ts";
import type { Subscriber } from "../../../shared/delivery/subscriber.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import type { PaymentFact } from "../../../shared/facts/fact.ts";
import { groupOf } from "../../../shared/facts/subject.ts";
import type { InboxMessage } from "../../../shared/inbox/inbox-message.ts";
import type { Aggregate } from "../../../shared/orders/aggregate-store.ts";
import { applyRefundFact } from "../../../shared/orders/apply-refund-fact.ts";
import type { Order } from "../../../shared/orders/order.ts";
import type { CallbackRecord } from "../../../shared/records/callback-record.ts";
import type { FactContext } from "../../../shared/records/fact-context.ts";
import { planReceipt } from "../../../shared/records/plan-receipt.ts";
import type { Receipt } from "../../../shared/records/receipt.ts";
import { recordQuarantine } from "../../../shared/records/record-quarantine.ts";
import { recordReceipt } from "../../../shared/records/record-receipt.ts";
import type { Commit } from "../../../shared/records/record-store.ts";
import {
  anOrder,
  expected,
  linkedPayment,
  merchantId,
  other,
  refundFact,
  statusFact,
  successFact,
} from "../orders/facts.ts";

const receivedAtMilliseconds = Date.UTC(2026, 10, 15);
const now = receivedAtMilliseconds + 1_000;
const message: InboxMessage = {
  origin: "callback",
  merchantId,
  callbackId: "C-1",
  content: { kind: "text", text: "first words", result: undefined },
  deduplication: { key: "c1", replayable: false },
  receivedAtMilliseconds,
  traceparent: "00-1-2-01",
  keyVersion: "v",
};
const receipt: Receipt = { message, body: "the message", group: "0a1b2c" };
const subscribers: Subscriber[] = ["a", "b"].map((name) => ({
  name,
  types: ["payment.order.*"],
  queueUrl: name,
  ordered: true,
}));
const settings = { source: "urn:test", subscribers, recordExpiryDays: 90, now: () => now };
const keptUntil = now / 1000 + 90 * 86_400;

const context = (aggregate: Order = anOrder({ expected }), fact = successFact()) =>
  ({ kind: "order", fact, aggregate, payments: [] }) as const;
const plan = (at: FactContext = context(), isConflict = false, of = receipt, over = {}) =>
  planReceipt(of, at, isConflict, { ...settings, ...over });

describe("the plan of a receipt", () => {
  test("publishes a new fact to those who want its type, and keeps the record while they wait", () => {
    const { record, aggregate } = plan();
    expect(record).toMatchObject({
      outcome: "published",
      sequence: 1,
      pending: ["a", "b"],
      message: "the message",
      callbackId: "C-1",
      receivedAt: "2026-11-15T00:00:00.000Z",
      recordedAt: "2026-11-15T00:00:01.000Z",
      timeBucket: `2026-11-15T00#${Number.parseInt(groupOf(anOrder()).slice(0, 4), 16) % 8}`,
      keptUntil,
    });
    expect(record.expiresAt).toBeUndefined();
    expect(aggregate).toMatchObject({ sequence: 1, status: "success" });
  });

  test("lets a record that nobody waits for expire after its days", () => {
    const { record } = plan(context(), false, receipt, { subscribers: [] });
    expect(record).toMatchObject({ outcome: "published", pending: [], expiresAt: keptUntil });
  });

  test("publishes a known fact to nobody and leaves the aggregate alone", () => {
    const { aggregate } = plan();
    const again = plan(context(aggregate as Order));
    expect(again.record).toMatchObject({ outcome: "known-fact", flags: [], expiresAt: keptUntil });
    expect(again.record).not.toHaveProperty("event");
    expect(again.aggregate).toBeUndefined();
  });

  test("writes the aggregate where a known success finds a check that is not needed any more", () => {
    const { aggregate } = plan();
    const due = { ...(aggregate as Order), dueShard: "3", dueAtMilliseconds: now };
    const again = plan(context(due));
    expect(again.record.outcome).toBe("known-fact");
    expect(again.aggregate).toMatchObject({ dueShard: undefined, dueAtMilliseconds: undefined });
  });

  test("has no notice for a refund that needs no attention", () => {
    const refund = { kind: "payment", fact: refundFact(), aggregate: linkedPayment() } as const;
    expect(plan({ ...refund, order: undefined }).notices).toEqual([]);
  });

  describe("of an order's end", () => {
    const payments = [applyRefundFact(linkedPayment(), refundFact()).aggregate];
    const end = (fact: PaymentFact, before: Partial<Order> = {}) =>
      plan({ kind: "order", fact, aggregate: anOrder({ expected, ...before }), payments });

    test.each<[string, PaymentFact, Partial<Order>, readonly string[]]>([
      ["that was paid enough", successFact(), {}, ["refunded"]],
      ["that was paid less", successFact({ amount: other }), {}, ["mismatch", "refunded"]],
      ["without money", statusFact("timeout"), {}, ["mismatch"]],
      ["that is none", statusFact("confirming"), {}, []],
      ["that came before", statusFact("timeout"), { status: "failed" }, ["regressed"]],
    ])("reports refunds that do not fit to an end %s", (_case, fact, before, flags) => {
      const { record, aggregate } = end(fact, before);
      expect(record.flags).toEqual(flags);
      expect(aggregate?.flags).toEqual(flags);
      const { data } = JSON.parse(record.outcome === "published" ? record.event : "");
      expect([data.flags, data.order.flags]).toEqual([flags, flags]);
    });
  });

  test.each([
    ["first without its transaction", undefined, "T1"],
    ["later without its transaction", "T1", undefined],
  ])("notices a wrong amount once, if it comes %s", (_case, first, again) => {
    const wrong = (transactionId: string | undefined) =>
      successFact({ amount: other, transactionId });
    const { aggregate, notices } = plan(context(undefined, wrong(first)));
    const repeat = plan(context(aggregate as Order, wrong(again)));
    expect(repeat.record).toMatchObject({ outcome: "known-fact", flags: ["mismatch"] });
    expect(notices.map(({ receipt: name }) => name)).toEqual([expect.stringMatching(/^mismatch#/)]);
    expect(repeat.notices.map(({ receipt: name }) => name)).toEqual([notices[0]?.receipt]);
    const learned = (repeat.aggregate ?? aggregate) as Order;
    const third = plan(context(learned, wrong("T1")));
    expect(third.notices.map(({ receipt: name }) => name)).toEqual([notices[0]?.receipt]);
  });

  test("refuses an event that is more than a queue takes", () => {
    const fact = successFact({ reason: "订".repeat(200_000) });
    expect(() => plan(context(undefined, fact))).toThrow(
      expect.objectContaining({ code: "event-too-large", retryable: false }),
    );
  });
});

/** A store that answers commits in turn; what it was given is the other half. */
function store(...commits: Commit[]) {
  const given: { record: CallbackRecord; aggregate: Aggregate | undefined }[] = [];
  const tries: string[] = [];
  return {
    given,
    tries,
    noteTry: async (_record: CallbackRecord, { code }: PaycastError, triedAt: string) => {
      tries.push(`${code} at ${triedAt}`);
    },
    giveUp: async (_record: CallbackRecord, { attention, since }: AttentionSince) => {
      tries.push(`${attention.kind}: ${JSON.stringify(attention.subscribers)} since ${since}`);
      return commits.length === 0;
    },
    loadContext: async () => context(),
    loadOrder: async (): Promise<Order | undefined> => undefined,
    commit: async (record: CallbackRecord, [aggregate]: readonly Aggregate[]): Promise<Commit> => {
      given.push({ record, aggregate });
      return commits.shift()!;
    },
    save: async () => true,
    retryOnContention: async <T>(turn: () => Promise<T | undefined>): Promise<T> => {
      let done = await turn();
      while (done === undefined) done = await turn();
      return done;
    },
  };
}

test("a receipt reads the aggregate again when it has moved on", async () => {
  const races = store({ kind: "lost-race" }, { kind: "lost-race" }, { kind: "committed" });
  expect(await recordReceipt(receipt, successFact(), settings, races)).toMatchObject({
    isNew: true,
  });
  expect(races.given).toHaveLength(3);
});

describe("the record of a quarantine", () => {
  const why = new PaycastError("event-unknown", "The event name is not one of the interface's.");

  test("holds the message and the reason, and does not expire", async () => {
    const stores = store({ kind: "committed" });
    await recordQuarantine(receipt, why, settings, stores);
    expect(stores.given).toHaveLength(1);
    const { record, aggregate } = stores.given[0]!;
    expect(record).toMatchObject({
      outcome: "quarantined",
      attention: { kind: "quarantined" },
      attentionShard: expect.stringMatching(/^quarantined#[0-7]$/),
      attentionSince: "2026-11-15T00:00:01.000Z",
      triedAt: "2026-11-15T00:00:01.000Z",
      keptUntil,
      reason: "event-unknown",
      message: "the message",
      group: "0a1b2c",
    });
    expect(record.expiresAt).toBeUndefined();
    expect(aggregate).toBeUndefined();
  });

  test("marks its order as known to the service, in the same transaction", async () => {
    const stores = {
      ...store({ kind: "lost-race" }, { kind: "committed" }),
      loadOrder: async () => anOrder(),
    };
    await recordQuarantine(receipt, why, settings, stores);
    expect(stores.given).toHaveLength(2);
    expect(stores.given[1]!.aggregate).toMatchObject({ state: { kind: "heard" }, sequence: 0 });
  });

  test("is not touched if the message was understood meanwhile and everybody has the event", async () => {
    const record = plan(context(), false, receipt, { subscribers: [] }).record;
    const same = store({ kind: "recorded", record });
    await recordQuarantine(receipt, why, settings, same);
    expect(same.tries).toEqual([]);
  });

  test("gives up an event that was made before and that subscribers miss, as its record is then", async () => {
    const before = { ...plan().record, pending: ["a", "b"] };
    const after = { ...plan().record, pending: ["b"] };
    const records = [before, after].map((record) => ({ kind: "recorded" as const, record }));
    const open = store(...records);
    await recordQuarantine(receipt, why, settings, open);
    const since = "2026-11-15T00:00:01.000Z";
    const attention = { kind: "undeliverable" as const };
    const since0 = "2026-11-14T00:00:00.000Z";
    const givenUp = { ...before, attention, attentionSince: since0 };
    const again = store({ kind: "recorded", record: givenUp });
    await recordQuarantine(receipt, why, settings, again);
    expect(again.tries[0]).toMatch(`since ${since0}`);
    const delayed = { ...givenUp, attention: { kind: "waiting" as const } };
    const waiting = store({ kind: "recorded", record: delayed });
    await recordQuarantine(receipt, why, settings, waiting);
    expect(waiting.tries[0]).toMatch(`since ${since}`);
    expect(open.tries).toEqual([
      `undeliverable: {"a":"event-unknown","b":"event-unknown"} since ${since}`,
      `undeliverable: {"b":"event-unknown"} since ${since}`,
    ]);
  });

  test("stands beside another content under the same id, and only then", async () => {
    const same = store({ kind: "recorded", record: plan().record });
    await recordQuarantine(receipt, why, settings, same);
    expect(same.given).toHaveLength(1);
    const other = { ...plan().record, contentHash: "of other words" };
    const beside = store({ kind: "recorded", record: other }, { kind: "committed" });
    await recordQuarantine(receipt, why, settings, beside);
    expect(beside.given[1]!.record).toMatchObject({ flags: ["conflict"] });
    expect(beside.given[1]!.record.receipt).toMatch(/^conflict#/);
  });
});
