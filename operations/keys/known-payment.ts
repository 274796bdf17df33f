import { listOrders, type OrderQuery } from "../orders/list-orders.ts";
import type { Target } from "../target/target.ts";

const dayMilliseconds = 86_400_000;
const lookBackDays = 14;
const fewOrders = 20;
const mostPages = 5;

/** The newest payment of the merchant, at a bounded cost. Undefined if there is none in the last two weeks. */
export async function findKnownPayment(
  target: Target,
  merchant: string,
  now: () => number = Date.now,
): Promise<string | undefined> {
  const from = new Date(now() - lookBackDays * dayMilliseconds).toISOString();
  const query = { merchant, from, until: new Date(now()).toISOString() };
  // While keys are wrong, the newest orders are all refused and have no payment.
  const newest = await paymentIn(target, { ...query, limit: fewOrders });
  return newest ?? (await paymentIn(target, { ...query, limit: 1, status: "success" }));
}

async function paymentIn(target: Target, query: OrderQuery): Promise<string | undefined> {
  const work = { stopped: new AbortController().signal, tell: () => undefined };
  let after: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const { orders, next } = await listOrders(target, { ...query, after }, work);
    const [paymentId] = orders.flatMap(({ paymentIds }) => paymentIds.slice(-1));
    if (paymentId !== undefined || next === undefined) return paymentId;
    after = next;
  }
  return undefined;
}
