import type { Subject } from "../../shared/facts/subject.ts";
import type { Target } from "../target/target.ts";
import type { ListedOrder } from "./listed-order.ts";
import { findToldOrders } from "./told-orders.ts";
import { findUntoldOrders } from "./untold-orders.ts";

export interface OrderList {
  /** The newest change first. */
  readonly orders: readonly ListedOrder[];
  /** The list is complete from this time on. Older orders: ask again with this time as `before`. */
  readonly since: string;
  /** Orders without a callback may be missing: there were too many to look at. */
  readonly isUntoldLimited: boolean;
}

interface ListOptions {
  readonly count: number;
  /** Only orders whose last change was before this time. */
  readonly before?: string | undefined;
  readonly status?: string | undefined;
  readonly onlyFlagged?: boolean;
}

export interface ListerOptions {
  /** Hours that are known to be empty, if several readers share them. */
  readonly emptyBuckets?: Set<string>;
  readonly now?: () => number;
}

export type ListOrders = (options: ListOptions) => Promise<OrderList>;

/** The newest events may have a time that is a little ahead of this machine's clock. */
const aheadMilliseconds = 60_000;

/**
 * Lists the orders of a stack, newest change first, at a bounded cost: it looks at the events of at most three days and
 * at a limited number of orders. An order that was refunded may be on two pages: by its refund, and by its payment. Keep the lister: it remembers what cannot change, and the next list costs less.
 */
export function createOrderList(
  target: Target,
  { emptyBuckets = new Set<string>(), now = Date.now }: ListerOptions = {},
): ListOrders {
  const subjects = new Map<string, Subject | undefined>();
  return async (options) => {
    const { before, count } = options;
    const beforeMilliseconds =
      before === undefined ? now() + aheadMilliseconds : Date.parse(before);
    const hasStatus = statusFilter(options);
    const isWanted = (order: ListedOrder) =>
      hasStatus(order) && (options.onlyFlagged !== true || order.flags.length > 0);
    const walk = { target, beforeMilliseconds, emptyBuckets, now };
    const [told, untold] = await Promise.all([
      findToldOrders(target, { walk, count, isWanted, hasStatus, subjects }),
      findUntoldOrders(target, beforeMilliseconds),
    ]);
    const added = untold.orders.filter((order) => {
      const isWithin = Date.parse(order.changedAt) < beforeMilliseconds;
      return isWithin && order.changedAt >= told.since && isWanted(order);
    });
    const page = cut([...told.orders, ...added].sort(byNewest), count);
    const last = page.isCut ? page.orders.at(-1) : undefined;
    const since = last?.changedAt ?? told.since;
    return { orders: page.orders, since, isUntoldLimited: untold.isMore };
  };
}

function statusFilter({ status }: ListOptions): (order: { readonly status: string }) => boolean {
  return (order) => status === undefined || order.status === status;
}

/** Orders of one time stay together, because the next page begins before it. */
function cut(orders: readonly ListedOrder[], count: number) {
  const last = orders[count - 1];
  if (last === undefined) return { orders, isCut: false };
  const kept = orders.filter(({ changedAt }) => changedAt >= last.changedAt);
  return { orders: kept, isCut: kept.length < orders.length };
}

function byNewest(one: ListedOrder, other: ListedOrder): number {
  if (one.changedAt !== other.changedAt) return one.changedAt < other.changedAt ? 1 : -1;
  return one.orderNo < other.orderNo ? -1 : 1;
}
