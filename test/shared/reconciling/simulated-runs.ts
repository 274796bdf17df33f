import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { dueAfterFact } from "../../../shared/orders/due.ts";
import { newOrder, type Order } from "../../../shared/orders/order.ts";
import { type DueRange, fromEnd } from "../../../shared/reconciling/due-line.ts";
import {
  type ReconcileOrders,
  reconcileOrders,
} from "../../../shared/reconciling/reconcile-orders.ts";
import { questionEveryMilliseconds } from "../../../shared/timing.ts";
import { anAttempt, asCreated, expected, statusFact } from "../orders/facts.ts";

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;
/** When the first run begins. */
export const start = 1_794_705_765_000;

/** About the time that a run in AWS has for its questions. */
const askingMilliseconds = 31_500;

export type Line = Record<string, unknown>;
/** What the service answers about a payment. An error is thrown. */
export type Answer = (paymentId: string, merchantId: string) => object;

/** The service, a table and a clock in memory, for runs over many days or many orders. */
export function simulateRuns(
  orders: readonly Order[],
  answer: Answer,
  overrides: Partial<ReconcileOrders> = {},
) {
  const clock = { now: start };
  const items = new Map(orders.map((order) => [order.aggregateKey, { ...order, revision: 1 }]));
  const seen = {
    asked: [] as string[],
    loaded: [] as string[],
    lines: [] as Line[],
    inbox: [] as unknown[],
  };
  const deps = (endsAt: number): ReconcileOrders => ({
    merchantIds: ["M1", "M2"],
    takeLease: async () => true,
    findDue: (range) => entriesOf(items, range),
    loadOrder: async (key) => {
      seen.loaded.push(key);
      return items.get(key);
    },
    loadPayments: async () => [],
    saveOrder: async (order) => saveIn(items, order),
    queryPayment: async (merchantId, paymentId) => {
      seen.asked.push(paymentId);
      const answered = answer(paymentId, merchantId);
      if (answered instanceof Error) throw answered;
      return answered;
    },
    sendToInbox: async (entry) => void seen.inbox.push(entry),
    waitForTurn: async () => {
      clock.now += questionEveryMilliseconds;
    },
    hasTimeToAsk: () => clock.now < endsAt,
    traceparent: () => "",
    random: () => 0.5,
    now: () => clock.now,
    log: (fields, metrics) => seen.lines.push({ ...fields, ...metrics }),
    ...overrides,
  });
  const runAt = async (time: number): Promise<Line> => {
    clock.now = time;
    await reconcileOrders(deps(time + askingMilliseconds));
    return seen.lines.at(-1)!;
  };
  const runEveryMinute = async (milliseconds: number): Promise<void> => {
    for (let passed = 0; passed < milliseconds; passed += minute) await runAt(start + passed);
  };
  const order = (orderNo: string) => [...items.values()].find((item) => item.orderNo === orderNo)!;
  return { ...seen, clock, items, runAt, runEveryMinute, order };
}

/** As the table does: only if nobody has written the order since it was read. */
export function saveIn(items: Map<string, Order>, order: Order): Order | undefined {
  if (items.get(order.aggregateKey)?.revision !== order.revision) return undefined;
  const saved = { ...order, revision: order.revision + 1 };
  items.set(order.aggregateKey, saved);
  return saved;
}

async function* entriesOf(items: ReadonlyMap<string, Order>, range: DueRange) {
  const { line, from, until, end } = range;
  const entries = [...items.values()].flatMap((order) => {
    const at = line === "due" ? order.dueAtMilliseconds : order.earlyAtMilliseconds;
    const isIn = at !== undefined && at >= from && at <= until;
    return isIn ? [{ aggregateKey: order.aggregateKey, dueAtMilliseconds: at }] : [];
  });
  yield* fromEnd(entries, end);
}

interface Wanted {
  readonly merchantId?: string;
  readonly paymentIds?: readonly string[];
}

/** An order that became due this long before the start. */
export function dueOrder(orderNo: string, lateMilliseconds: number, wanted: Wanted = {}): Order {
  const { merchantId = "M1", paymentIds = [`P-${orderNo}`] } = wanted;
  const expiresAtMilliseconds = start - lateMilliseconds - 2 * minute;
  const startedAtMilliseconds = expiresAtMilliseconds - 30 * minute;
  const creation = {
    content: { channel: "hash" },
    channel: "WEB",
    callbackUrl: "https://api.example/callbacks",
    expiresAtMilliseconds,
    paymentId: paymentIds[0],
  };
  return asCreated({
    ...newOrder(merchantId, orderNo),
    paymentIds: [...paymentIds],
    attempts: paymentIds.map((paymentId) =>
      anAttempt({ attemptId: paymentId, paymentId, startedAtMilliseconds }),
    ),
    creation,
    expected,
  });
}

/** Many of them, the first one due for the longest time. */
export function dueOrders(count: number, prefix: string, late: number, wanted: Wanted = {}) {
  return Array.from({ length: count }, (_item, index) =>
    dueOrder(`${prefix}${index}`, late + count - index, wanted),
  );
}

/** An order whose timeout was learned a day before the start, so its last check is due. */
export function timedOutOrder(orderNo: string, wanted: Wanted = {}): Order {
  const before = dueOrder(orderNo, 3 * day, wanted);
  const learnedAtMilliseconds = start - day;
  const { merchantId, paymentIds } = before;
  // The order follows its latest attempt.
  const about = { merchantId, orderNo, paymentId: paymentIds.at(-1) };
  const fact = statusFact("timeout", { ...about, learnedAtMilliseconds });
  const { aggregate, flags } = applyPaymentFact(before, fact);
  return dueAfterFact(before, aggregate, flags, learnedAtMilliseconds);
}
