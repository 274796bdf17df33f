import { describe, expect, test, vi } from "vitest";
import { loadOrder, saveOrder } from "../../../shared/orders/aggregate-store.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { applyRefundFact } from "../../../shared/orders/apply-refund-fact.ts";
import type { Order } from "../../../shared/orders/order.ts";
import type { Payment } from "../../../shared/orders/payment.ts";
import { claimQuery, isFresh } from "../../../shared/orders/question.ts";
import { type RefreshOrder, refreshOrder } from "../../../shared/storefront/refresh-order.ts";
import type { Database } from "../../../shared/table/database.ts";
import { memoryDatabase } from "../../builders/memory-table.ts";
import {
  aCreation,
  anAttempt,
  anOrder,
  asCreated,
  expected,
  linkedPayment,
  merchantId,
  refundFact,
  statusFact,
  successFact,
} from "../orders/facts.ts";

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
      loadPayments: async () => [],
      saveOrder: (order: Order) => saveOrder(own, "orders", order),
      queryPayment,
      sendToInbox: () => Promise.reject(new Error("There is no news.")),
      hasTimeToAsk: () => true,
      onFailure: () => {},
      onRefundStatus: () => {},
      traceparent: () => "00-1-2-01",
      now: () => now,
      random: () => random,
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
  async (_case, isChanged) => {
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

describe("an answer about the stored status", () => {
  const status = (name: "timeout" | "failed" | "confirming") =>
    applyPaymentFact(stored, statusFact(name)).aggregate;
  const twoAttempts = {
    ...stored,
    paymentIds: ["P1", "P2"],
    attempts: ["P1", "P2"].map((id) => anAttempt({ attemptId: id, paymentId: id })),
  };

  test.each<[string, Order, string, string, boolean]>([
    ["confirms it", stored, "pending", "pending", false],
    ["brings a new one", stored, "confirming", "confirming", false],
    ["brings the end", status("confirming"), "timeout", "timeout", false],
    ["confirms an end", status("failed"), "failed", "failed", false],
    ["contradicts an end", status("failed"), "pending", "failed", true],
    ["contradicts an end with news", status("failed"), "confirming", "failed", true],
    ["contradicts the kind of an end", status("failed"), "timeout", "failed", true],
    ["is behind", status("confirming"), "pending", "confirming", true],
    ["is about an attempt that the order does not follow", twoAttempts, "pending", "pending", true],
    ["of another attempt is a success", twoAttempts, "success", "success", false],
  ])("that %s", async (_case, order, answered, shown, stale) => {
    const { database, refresh } = await asked(order, answered);
    expect(await refresh()).toMatchObject({ order: { status: shown }, stale });
    // What a second caller finds. News are not recorded here.
    const found = await loadOrder(database, "orders", merchantId, "A");
    const isNews = shown !== order.status;
    expect(isFresh(found, now)).toBe(!stale && !isNews);
    expect(found.question.kind).toBe(!stale && isNews ? "awaiting" : "answered");
  });
});

test("an answer does not confirm a status that the order got meanwhile", async () => {
  const { database, refresh, meanwhile } = await asked(stored, "pending");
  meanwhile(async () => {
    const order = await loadOrder(database, "orders", merchantId, "A");
    await saveOrder(database, "orders", applyPaymentFact(order, statusFact("failed")).aggregate);
  });
  await refresh();
  const found = await loadOrder(database, "orders", merchantId, "A");
  expect(found).toMatchObject({ status: "failed", question: { isConfirmation: false } });
  expect(isFresh(found, now)).toBe(false);
});

describe("an answer with the status of a refund", () => {
  const open = { ...stored, expected };
  const failed = applyPaymentFact(open, statusFact("failed")).aggregate;

  test.each(["refunding", "refund_success", "refund_failed"] as const)(
    "shows that the order was paid, if the amount is the order's: %s",
    async (refundStatus) => {
      for (const read of [open, failed]) {
        const { refresh, sent } = await asked(read, refundStatus);
        const fresh = await refresh();
        const order = { status: "success", refundReport: { status: refundStatus } };
        expect(fresh).toMatchObject({ order, stale: false });
        expect(sent).toHaveLength(1);
      }
    },
  );

  test("with another amount leaves the status as it is, and is stored", async () => {
    for (const order of [open, failed, { ...open, expected: undefined }]) {
      const { database, refresh, sent } = await asked(order, "refund_success", { payAmount: 5 });
      const { status } = order;
      const refundReport = { status: "refund_success" };
      expect(await refresh()).toMatchObject({ order: { status, refundReport }, stale: true });
      expect(sent).toEqual([]);
      const found = await loadOrder(database, "orders", merchantId, "A");
      expect(found).toMatchObject({ status, refundReport });
      expect(isFresh(found, now)).toBe(false);
    }
  });

  test("with another amount makes an unpaid order due at once, the first time", async () => {
    const attempts = [anAttempt({ startedAtMilliseconds: now })];
    const created = asCreated({ ...open, attempts, creation: aCreation(now + 3_600_000) });
    const { database, refresh } = await asked(created, "refunding", { payAmount: 5 });
    const due = async () =>
      (await loadOrder(database, "orders", merchantId, "A")).dueAtMilliseconds;
    expect(await due()).toBeGreaterThan(now);
    await refresh();
    expect(await due()).toBe(now);
    const known = { ...created, refundReport: { status: "refunding", learnedAt: "2026" } } as const;
    const again = await asked(known, "refund_success", { payAmount: 5 });
    await again.refresh();
    const found = await loadOrder(again.database, "orders", merchantId, "A");
    expect(found.dueAtMilliseconds).toBeGreaterThan(now);
  });
});

describe("a caller who wants the service to be queried about a paid order", () => {
  const paid = applyPaymentFact(
    { ...stored, expected },
    successFact({ paymentId: "P1" }),
  ).aggregate;
  const isWanted = true;

  test("gets what is stored without a query if he does not say so", async () => {
    const { refresh, sent } = await asked(paid, "refunding");
    const fresh = await refresh();
    expect(fresh).toMatchObject({ stale: false });
    expect(fresh.order.refundReport).toBeUndefined();
    expect(sent).toEqual([]);
  });

  test.each(["refunding", "refund_failed", "refund_success"] as const)(
    "learns that its refund is %s, and process-callback records it",
    async (status) => {
      const { refresh, sent } = await asked(paid, status, { isWanted });
      const fresh = await refresh();
      expect(fresh).toMatchObject({ stale: false, order: { refundReport: { status } } });
      expect(sent).toHaveLength(1);
    },
  );

  test("learns of a refund with another amount, which is stored at once", async () => {
    const { database, refresh, sent } = await asked(paid, "refunding", { payAmount: 5, isWanted });
    expect(await refresh()).toMatchObject({ stale: false, order: { status: "success" } });
    const found = await loadOrder(database, "orders", merchantId, "A");
    expect(found).toMatchObject({ status: "success", refundReport: { status: "refunding" } });
    expect(found.dueAtMilliseconds).toBeUndefined();
    expect(sent).toEqual([]);
  });

  test("sends nothing to the inbox if the callbacks have told the same", async () => {
    const fact = refundFact({ paymentId: "P1" });
    const { aggregate } = applyRefundFact(linkedPayment(), fact, paid);
    const payments = [aggregate];
    const { refresh, sent } = await asked(paid, "refund_success", { payments, isWanted });
    expect(await refresh()).toMatchObject({ stale: false });
    expect(sent).toEqual([]);
  });

  test("is told that the response is stale if the service contradicts or does not respond", async () => {
    expect(await (await asked(paid, "pending", { isWanted })).refresh()).toMatchObject({
      stale: true,
      order: { status: "success" },
    });
    const { refresh, meanwhile } = await asked(paid, "success", { isWanted });
    meanwhile(() => Promise.reject(unavailable()));
    expect(await refresh()).toMatchObject({ stale: true, order: { status: "success" } });
  });

  test("shares the query of another caller", async () => {
    const asking = { kind: "asking", untilMilliseconds: now + 1, by: 1 } as const;
    const other = await asked({ ...paid, question: asking }, "refunding", { isWanted });
    expect(await other.refresh()).toMatchObject({ stale: true });
    const answered = {
      kind: "answered",
      untilMilliseconds: now + 1,
      isConfirmation: true,
    } as const;
    const recent = await asked({ ...paid, question: answered }, "refunding", { isWanted });
    const fresh = await recent.refresh();
    expect(fresh).toMatchObject({ stale: false });
    expect(fresh.order.refundReport).toBeUndefined();
  });
});

test("an order without a payment id cannot be asked about", async () => {
  const { refresh } = await asked(anOrder({ status: "failed" }), "failed");
  expect(await refresh()).toMatchObject({ stale: true });
});

interface Asked {
  readonly payAmount?: number;
  readonly payments?: readonly Payment[];
  /** The caller wants the service to be queried, whatever is stored. */
  readonly isWanted?: boolean;
}

/** A caller who reads an order, and the status that the service answers with. */
async function asked(
  order: Order,
  status: string,
  { payAmount = 12.5, payments = [], isWanted = false }: Asked = {},
) {
  const database = memoryDatabase(now);
  await saveOrder(database, "orders", { ...order, revision: 0 });
  const sent: unknown[] = [];
  const answer = { merchantId, status, payAmount, currency: "EUR" };
  let happens = async () => {};
  const read = { ...order, revision: 1 };
  const refresh = () => refreshOrder(read, order.paymentIds[0], deps, isWanted);
  const deps: RefreshOrder = {
    loadOrder: () => loadOrder(database, "orders", merchantId, "A"),
    loadPayments: async () => payments,
    saveOrder: (changed: Order) => saveOrder(database, "orders", changed),
    queryPayment: async () => {
      await happens();
      return answer;
    },
    sendToInbox: async (entry: unknown) => void sent.push(entry),
    hasTimeToAsk: () => true,
    onFailure: () => {},
    onRefundStatus: () => {},
    traceparent: () => "00-1-2-01",
    now: () => now,
    random: () => 0.5,
  };
  /** What happens while the service is asked. */
  const meanwhile = (happening: () => Promise<void>) => {
    happens = happening;
  };
  return { database, refresh, sent, meanwhile };
}
