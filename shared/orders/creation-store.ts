import type { Database } from "../table/database.ts";
import { storeMilliseconds } from "../timing.ts";
import { loadOrder, loadPayment, saveAggregates, takeTurns } from "./aggregate-store.ts";
import { type Beginning, beginCreation, type CreationRequest } from "./begin-creation.ts";
import { type AttemptEnd, endCreation } from "./end-creation.ts";
import { linkPayment } from "./link-payment.ts";
import type { Order } from "./order.ts";
import type { Payment } from "./payment.ts";

export interface OrderName {
  readonly merchantId: string;
  readonly orderNo: string;
}

/**
 * Records the attempt before anything is sent, so that a callback finds the order and of any number of callers
 * at the same time one sends. The order comes back as it now stands.
 */
export async function storeBeginning(
  database: Database,
  table: string,
  { merchantId, orderNo }: OrderName,
  request: CreationRequest,
  attemptId: string,
): Promise<{ readonly beginning: Beginning; readonly order: Order }> {
  return await takeTurns(database, async () => {
    const order = await loadOrder(database, table, merchantId, orderNo);
    // Written in an earlier turn, whose answer was lost.
    if (order.attempts.at(-1)?.attemptId === attemptId) {
      return { beginning: { kind: "begun", order, attemptId }, order };
    }
    const beginning = beginCreation(order, request, attemptId, database.now());
    if (beginning.kind !== "begun") return { beginning, order };
    const isSaved = await saveAggregates(database, table, [beginning.order]);
    return isSaved ? { beginning, order: beginning.order } : undefined;
  });
}

/** Records the end of an attempt that brought no payment. */
export async function storeEnd(
  database: Database,
  table: string,
  { merchantId, orderNo }: OrderName,
  attemptId: string,
  end: AttemptEnd,
): Promise<void> {
  await takeTurns(database, async () => {
    const order = await loadOrder(database, table, merchantId, orderNo);
    const ended = endCreation(order, attemptId, end);
    return (await saveAggregates(database, table, [ended])) || undefined;
  });
}

/** `claimed`: the payment belongs to another order, which keeps it. `mismatch`: its refunds contradict the order. */
export interface StoredPayment {
  readonly order: Order;
  readonly payment: Payment;
  readonly problem?: "claimed" | "mismatch" | undefined;
}

/** Stores the payment that the service returned, and links it to the order, together. */
export async function storePayment(
  database: Database,
  table: string,
  { merchantId, orderNo }: OrderName,
  attemptId: string,
  created: Extract<AttemptEnd, { state: "created" }>,
): Promise<StoredPayment> {
  const turn = async (): Promise<StoredPayment | undefined> => {
    const order = await loadOrder(database, table, merchantId, orderNo);
    const payment = await loadPayment(database, table, merchantId, created.paymentId);
    const ended = endCreation(order, attemptId, created);
    const { expected } = ended;
    const link = expected === undefined ? undefined : linkPayment(payment, { orderNo, expected });
    if (link?.kind !== "linked") {
      const isSaved = await saveAggregates(database, table, [ended]);
      return isSaved ? { order: ended, payment, problem: "claimed" } : undefined;
    }
    const isSaved = await saveAggregates(database, table, [ended, link.payment]);
    const problem = link.mismatch ? "mismatch" : undefined;
    return isSaved ? { order: ended, payment: link.payment, problem } : undefined;
  };
  return await whileTimeLasts(database, () => takeTurns(database, turn));
}

const pauseMilliseconds = 500;

/** The service has the payment, so the table is tried again after any failure, not only after "slow down". */
async function whileTimeLasts<T>(database: Database, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const endsAt = database.now() + pauseMilliseconds + storeMilliseconds;
      if (endsAt > database.endsAtMilliseconds) throw error;
      await database.pause(pauseMilliseconds);
    }
  }
}
