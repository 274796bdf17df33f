import { describe, expect, test } from "vitest";
import type { Subscriber } from "../../../shared/delivery/subscriber.ts";
import { laneEntry } from "../../../shared/fan-out/lane.ts";
import type { InboxMessage } from "../../../shared/inbox/inbox-message.ts";
import type { Order } from "../../../shared/orders/order.ts";
import type { Commit } from "../../../shared/records/commit-plan.ts";
import { type Plan, planReceipt, type Receipt } from "../../../shared/records/plan-receipt.ts";
import { recordReceipt } from "../../../shared/records/record-receipt.ts";
import { emptyOrder, expected, merchantId, paymentFact } from "../orders/facts.ts";

const receivedAtMilliseconds = Date.UTC(2026, 10, 15);
const message: InboxMessage = {
  version: 1,
  origin: "callback",
  merchantId,
  merchantIsSigned: true,
  callbackId: "c1",
  plaintext: "first words",
  deduplication: { key: "c1", replayable: false },
  receivedAtMilliseconds,
  traceparent: "00-1-2-01",
  verifiedBy: { versionId: "v", stage: "current" },
};
const receipt: Receipt = { message, fact: paymentFact(), group: "group" };
const subscribers: Subscriber[] = ["a", "b"].map((name) => ({
  name,
  types: ["payment.order.*"],
  queueUrl: name,
  ordered: true,
}));
const settings = {
  source: "urn:test",
  subscribers,
  recordExpiryDays: 90,
  now: () => receivedAtMilliseconds + 1000,
};

const plan = (order: Order = emptyOrder({ expected }), name = "first", of = receipt): Plan =>
  planReceipt(of, name, order, settings);

describe("the plan of a receipt", () => {
  test("publishes a new fact to those who want its type", () => {
    const { record, order } = plan();
    expect(record).toMatchObject({
      outcome: "published",
      sequence: 1,
      pending: ["a", "b"],
      held: [],
    });
    expect(record).not.toHaveProperty("deferred");
    expect(order).toMatchObject({ version: 1, status: "success" });
  });

  test("publishes a known fact to nobody and leaves the order alone", () => {
    const { order } = plan();
    const again = plan(order);
    expect(again.record).toMatchObject({ outcome: "known-fact", pending: [], flags: [] });
    expect(again.record.event).toBeUndefined();
    expect(again.order).toBeUndefined();
  });

  test("holds back who has an earlier event of the order to come", () => {
    const { record } = plan(emptyOrder({ expected, version: 7, behind: [laneEntry("b", 7)] }));
    expect(record).toMatchObject({ pending: ["a", "b"], held: ["b"], deferred: "deferred" });
    expect(record.nextAttemptAt).toBe("2026-11-15T00:01:01.000Z");
    expect(record.expiresAt).toBeUndefined();
    expect(record.keptUntil).toBe(receivedAtMilliseconds / 1000 + 90 * 86_400);
  });

  test("lets a record expire after its days, and never where it is the only guard against a replay", () => {
    expect(plan().record.expiresAt).toBe(receivedAtMilliseconds / 1000 + 90 * 86_400);
    const deduplication = { key: "hash", replayable: true };
    const replayable = { ...receipt, message: { ...message, deduplication } };
    expect(plan(emptyOrder(), "first", replayable).record.expiresAt).toBeUndefined();
  });

  test("refuses an event that is more than a queue takes", () => {
    const fact = paymentFact({ reason: "订".repeat(200_000) });
    expect(() => plan(emptyOrder(), "first", { ...receipt, fact })).toThrow(
      expect.objectContaining({ code: "event-too-large", retryable: false }),
    );
  });
});

/** A store that answers commits in turn; the plans that it was given are the other half. */
function store(...commits: Commit[]) {
  const plans: Plan[] = [];
  return {
    plans,
    loadOrderOf: async () => emptyOrder({ expected }),
    commitPlan: async (given: Plan): Promise<Commit> => {
      plans.push(given);
      return commits.shift() ?? { kind: "lost-race" };
    },
  };
}

describe("recording a receipt", () => {
  test("tries again at once when the order has moved on", async () => {
    const races = store({ kind: "lost-race" }, { kind: "lost-race" }, { kind: "committed" });
    expect(await recordReceipt(receipt, settings, races)).toMatchObject({ isNew: true });
    expect(races.plans).toHaveLength(3);
  });

  test("gives up after a while, and leaves it to a later delivery", async () => {
    const busy = store();
    await expect(recordReceipt(receipt, settings, busy)).rejects.toMatchObject({
      code: "order-contended",
      retryable: true,
    });
    expect(busy.plans.length).toBeLessThan(20);
  });

  test("finds the record of a receipt that was written before", async () => {
    const written = { ...plan().record, pending: ["b"] };
    const found = await recordReceipt(
      receipt,
      settings,
      store({ kind: "recorded", record: written }),
    );
    expect(found).toEqual({ record: written, isNew: false });
  });

  test("keeps other words under the same id beside the first, as a conflict", async () => {
    const other = { ...plan().record, bodyHash: "of other words" };
    const both = store({ kind: "recorded", record: other }, { kind: "committed" });
    const { record } = await recordReceipt(receipt, settings, both);
    expect(record.receipt).toBe(`conflict#${record.bodyHash}`);
    expect(record.flags).toEqual(["conflict"]);
    expect(both.plans.map((one) => one.record.receipt)).toEqual(["first", record.receipt]);
  });
});
