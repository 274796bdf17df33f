import { expect, test, vi } from "vitest";
import { loadOrder, saveOrder } from "../../../shared/orders/aggregate-store.ts";
import { claimQuery } from "../../../shared/orders/ask-service.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { refreshOrder } from "../../../shared/storefront/refresh-order.ts";
import type { Database } from "../../../shared/table/database.ts";
import { memoryDatabase } from "../../builders/memory-table.ts";
import { anOrder, merchantId } from "../orders/facts.ts";

const now = Date.UTC(2026, 10, 15);
const stored = anOrder({ paymentIds: ["P1"], revision: 1 });
const unavailable = () => Object.assign(new Error("unavailable"), { $fault: "server" });

/** An order in memory, and callers that want to know about it in the same millisecond. */
async function shop() {
  const database = memoryDatabase(now);
  await saveOrder(database, "orders", anOrder({ paymentIds: ["P1"] }));
  const queryPayment = vi.fn(async () => ({ merchantId, status: "pending" }));
  const load = () => loadOrder(database, "orders", merchantId, "A");
  /** `meet` is the fault that the first write of this caller meets. */
  const ask = async (
    random: number,
    meet?: (write: () => Promise<unknown>) => Promise<unknown>,
  ) => {
    const own = meet === undefined ? database : faulty(database, meet);
    return await refreshOrder(stored, "P1", {
      loadOrder: load,
      saveOrder: (order: Order) => saveOrder(own, "orders", order),
      queryPayment,
      sendToInbox: () => Promise.reject(new Error("There is no news.")),
      ...{ hasTimeToAsk: () => true, onFailure: () => {}, onRefundStatus: () => {} },
      ...{ traceparent: () => "00-1-2-01", now: () => now, random: () => random },
    });
  };
  const claim = async (random: number) =>
    void (await saveOrder(database, "orders", claimQuery(stored, now, random)!));
  const change = async () => void (await saveOrder(database, "orders", await load()));
  return { ask, claim, change, queryPayment };
}

function faulty(database: Database, meet: (write: () => Promise<unknown>) => Promise<unknown>) {
  let calls = 0;
  const send = async (command: never) => {
    calls += 1;
    const write = () => database.client.send(command);
    return calls === 1 ? await meet(write) : await write();
  };
  return { ...database, client: { send } as unknown as Database["client"] };
}

test("a caller that must write twice finds the claim of another one of the same millisecond", async () => {
  const { ask, claim, queryPayment } = await shop();
  const answer = await ask(0.1, async () => {
    await claim(0.2);
    throw unavailable();
  });
  expect(answer).toMatchObject({ stale: true });
  expect(queryPayment).not.toHaveBeenCalled();
});

test.each([
  ["nobody", false],
  ["another writer", true],
])(
  "a caller whose answer was lost asks, if %s changed the order meanwhile",
  async (_, isChanged) => {
    const { ask, change, queryPayment } = await shop();
    const answer = await ask(0.1, async (write) => {
      await write();
      if (isChanged) await change();
      throw unavailable();
    });
    expect(answer).toMatchObject({ stale: false });
    expect(queryPayment).toHaveBeenCalledOnce();
  },
);

test("a caller whose question fails gives the order that it read last", async () => {
  const { ask, change, queryPayment } = await shop();
  queryPayment.mockRejectedValue(unavailable());
  const answer = await ask(0.1, async (write) => {
    await write();
    await change();
    throw unavailable();
  });
  expect(answer).toMatchObject({ stale: true, order: { revision: 3 } });
});
