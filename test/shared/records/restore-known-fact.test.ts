import { describe, expect, test } from "vitest";
import type { Order } from "../../../shared/orders/order.ts";
import type { CallbackRecord } from "../../../shared/records/callback-record.ts";
import { receivedPart } from "../../../shared/records/receipt.ts";
import { other, successFact } from "../orders/facts.ts";
import { empty, now, paid, receipt, receivedBy, storeOf, ways } from "./restored-table.ts";

test("a repeat of a dismissed quarantine restores nothing", async () => {
  const dismissed: CallbackRecord = {
    ...receivedPart(receipt, now),
    outcome: "quarantined",
    reason: "event-unknown",
    detail: "Unknown.",
    triedAt: "2026-11-15T00:00:00.000Z",
    flags: [],
  };
  const store = storeOf(empty, dismissed);
  expect(await ways["a repeat"](store, paid)).toEqual({ record: dismissed, isNew: false });
  expect(store.saved).toEqual([]);
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
    expect(differs.record).toMatchObject({
      outcome: "known-fact",
      flags: ["contradicted"],
    });
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
