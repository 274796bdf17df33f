import { timeOfPlace } from "../../../shared/orders/day.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { listOrders } from "../orders/list-orders.ts";
import type { Target } from "../ports/target.ts";
import type { OtherNumber } from "./other-number-text.ts";

/** The interface allows this many characters in a response (§2.7). */
const shortLength = 32;

/**
 * The other number of an order if the payment service cuts numbers. A cut number has no link to the order that was
 * created: its callbacks name no payment. So the orders of the day before its first callback are searched for a number
 * that begins with it, by the keys of the index.
 */
export async function readOtherNumber(
  target: Pick<Target, "orders">,
  order: Order,
): Promise<OtherNumber | undefined> {
  const { orderNo, flags, creation, dayPlace } = order;
  if (flags.includes("shortenedNumber")) {
    return { orderNo: orderNo.slice(0, shortLength), isShort: true };
  }
  const isCandidate = creation === undefined && orderNo.length >= shortLength;
  if (!isCandidate || dayPlace === undefined) return undefined;
  const whole = await findWhole(target, order, timeOfPlace(dayPlace));
  return whole === undefined ? undefined : { orderNo: whole, isShort: false };
}

const dayMilliseconds = 24 * 3_600_000;
const longestMilliseconds = 5_000;

async function findWhole(
  target: Pick<Target, "orders">,
  { merchantId, orderNo }: Order,
  until: string,
) {
  const from = new Date(Date.parse(until) - dayMilliseconds).toISOString();
  const query = { from, until, text: orderNo, merchant: merchantId, limit: 5 };
  const work = { stopped: AbortSignal.timeout(longestMilliseconds), tell: () => undefined };
  const { orders } = await listOrders(target, query, work);
  return orders
    .map((listed) => listed.orderNo)
    .find((listed) => listed !== orderNo && listed.startsWith(orderNo));
}
