import { expect, test } from "vitest";
import type { DueEntry } from "../../../shared/reconciling/find-due.ts";
import {
  type ReconcileOrders,
  reconcileOrders,
} from "../../../shared/reconciling/reconcile-orders.ts";
import { anOrder } from "../orders/facts.ts";

const now = 1_794_705_765_000;
const never = async (): Promise<never> => {
  throw new Error("not expected");
};

/** A run over entries of which nothing can be asked. */
async function runOver(count: number, loadOrder: ReconcileOrders["loadOrder"]) {
  const lines: unknown[] = [];
  let read = 0;
  async function* findDue(): AsyncGenerator<DueEntry> {
    for (; read < count; read += 1) yield { aggregateKey: `${read}`, dueAtMilliseconds: now - 1 };
  }
  await reconcileOrders({
    merchantIds: [],
    takeLease: async () => true,
    findDue,
    loadOrder,
    saveOrder: never,
    queryPayment: never,
    sendToInbox: never,
    waitForTurn: never,
    hasTimeToAsk: () => true,
    traceparent: () => "",
    random: () => 0,
    now: () => now,
    log: (fields, metrics) => lines.push({ ...fields, ...metrics }),
  });
  return { lines, read };
}

test("a run looks at a thousand entries at the most, however many cannot be asked about", async () => {
  const { lines, read } = await runOver(5_000, async () => undefined);
  expect(read).toBe(1_000);
  expect(lines).toMatchObject([{ outcome: "reconciled", UnreadableOrder: 1_000 }]);
});

test("an order that was settled after the index was read is left alone", async () => {
  const later = { dueShard: "0", dueAtMilliseconds: now + 1 };
  const settled = [anOrder(), anOrder(later)];
  const { lines } = await runOver(2, async (key) => settled[Number(key)]);
  expect(lines).toEqual([
    expect.objectContaining({ outcome: "reconciled", aggregateKeys: undefined }),
  ]);
});
