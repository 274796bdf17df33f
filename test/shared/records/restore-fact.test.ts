import { describe, expect, test } from "vitest";
import type { PublishedRecord } from "../../../shared/records/callback-record.ts";
import { anOrder, successFact } from "../orders/facts.ts";
import { empty, paid, receivedBy, storeOf, ways } from "./restored-table.ts";

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

  test("keeps the flags that the order has", async () => {
    const store = storeOf({ ...empty, flags: ["late"] }, paid.record);
    await see(store, paid);
    expect(store.saved).toMatchObject([{ status: "success", flags: ["late"] }]);
  });

  test("whose order knows the fact under another id adds its own id and sequence", async () => {
    const unnamed = receivedBy(empty, successFact({ transactionId: undefined }));
    const record = { ...paid.record, sequence: 7 } as PublishedRecord;
    const store = storeOf(unnamed.order, record);
    await see(store, { ...paid, record });
    const facts = { ...unnamed.order.facts, [record.factId]: 7 };
    const successes = [{ transactionId: "T1" }];
    expect(store.saved).toMatchObject([{ sequence: 7, facts, successes }]);
    const later = storeOf(paid.order, unnamed.record);
    await see(later, unnamed);
    const both = { ...paid.order.facts, [unnamed.record.factId]: 1 };
    expect(later.saved).toMatchObject([{ sequence: 1, facts: both, successes }]);
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
