import * as z from "zod";
import { flags } from "../../../shared/facts/flags.ts";
import { orderStatuses } from "../../../shared/storefront/order-view.ts";
import { counted, numberText, wholeSeconds } from "../../../shared/text/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { describeLook } from "../described/describe.ts";
import type { Cell, OperationGroup, Report, Work } from "../described/description.ts";
import { choice, text, time, wholeNumber } from "../described/fields.ts";
import type { Target } from "../ports/target.ts";
import { countOrders, listOrders, type OrderPage } from "./list-orders.ts";
import type { ListedOrder } from "./listed-order.ts";

export interface OrderList extends OrderPage {
  /** The range, in RFC 3339. */
  readonly from: string;
  readonly until: string;
  /** How many orders the range has, if they are few enough to be counted. Only on the first page, without a filter. */
  readonly total: number | undefined;
}

const usualMilliseconds = 2 * 86_400_000;
/** The clock of a function may be a little ahead of this machine's. */
const aheadMilliseconds = 60_000;

const list = describeLook({
  summary:
    "Lists the orders of a time range, newest first, with status, flags and, if the payment service rejected the order, its code and message.",
  input: z.object({
    from: time("only orders since this time, by default two days ago", "since"),
    until: time("only orders until this time", "until"),
    text: text("only orders with this text anywhere in their number", "TEXT"),
    status: choice("only orders with this status", orderStatuses),
    merchant: text("only orders of this merchant", "ID"),
    flag: z
      .enum(["any", ...flags])
      .optional()
      .meta({ description: "only orders with this flag, or with any", placeholder: "any|FLAG" }),
    after: z
      .string()
      .regex(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z(#[0-9a-f]{8})?$/, "must be a value that a list printed")
      .optional()
      .meta({
        description: "continue where an earlier list ended; that list prints the value",
        placeholder: "PLACE",
      }),
    limit: wholeNumber("how many to list", 50, 1, 200),
  }),
  endsByItself: true,
  look: async (target, { from: asked, until: end, ...filter }, work) => {
    const { from, until } = usualRange(target, asked, end);
    const page = await listOrders(target, { ...filter, from, until }, work);
    const { limit: _limit, ...filters } = filter;
    const isWhole = Object.values(filters).every((value) => value === undefined);
    const total = isWhole ? await countOrders(target, { from, until }) : undefined;
    const isGood = !work.stopped.aborted;
    return { ...reportOf({ ...page, from, until, total }), isGood };
  },
});

/** The newest orders, without a total. */
export async function latestOrders(
  target: Pick<Target, "clock" | "orders">,
  limit: number,
  work: Work,
): Promise<Pick<OrderPage, "orders">> {
  return await listOrders(target, { ...usualRange(target), limit }, work);
}

function usualRange(
  target: Pick<Target, "clock">,
  from?: string,
  until?: string,
): Pick<OrderList, "from" | "until"> {
  const now = target.clock.now();
  return {
    from: from ?? toRfc3339(now - usualMilliseconds),
    until: until ?? toRfc3339(now + aheadMilliseconds),
  };
}

function reportOf(data: OrderList): Report<OrderList> {
  const { orders, from, total } = data;
  const none = total === undefined ? "No such order" : "No orders";
  return {
    lines: orders.length === 0 ? [`${none} since ${wholeSeconds(from)}.`] : [],
    ...(orders.length > 0 && { table: { head, rows: orders.map(rowOf) } }),
    below: [...endText(data), ...newerText(data)],
    data,
    isGood: true,
  };
}

function endText({ orders, looked, next, since, total, from }: OrderList): string[] {
  const all = total === undefined ? "" : ` of ${numberText(total)}`;
  const shown = `${orders.length}${all} since ${wholeSeconds(from)}.`;
  if (next === undefined) return orders.length === 0 ? [] : [shown];
  const read = `Searched ${counted(looked, "order")}, back to ${wholeSeconds(since)}.`;
  // In quotes: a place begins with a time, which --local-time would change. No full stop: it would be copied, too.
  return [...(total === undefined ? [read] : [shown]), `Continue with --after '${next}'`];
}

function newerText({ newer }: OrderList): string[] {
  if (newer === 0) return [];
  const text = `${counted(newer, "order")} not listed: a newer version of Paycast wrote them. Use its command.`;
  return [text];
}

const head = ["since", "order", "merchant", "status", "amount", "flags", "payment"];

function rowOf(order: ListedOrder): readonly Cell[] {
  const { since, orderNo, merchantId, amount, flags: raised, paymentIds } = order;
  return [
    { time: since },
    orderNo,
    merchantId,
    statusText(order),
    amount === undefined ? "-" : `${amount.value} ${amount.currency}`,
    raised.join(", ") || "-",
    paymentIds.at(-1) ?? "-",
  ];
}

function statusText({ status, refusal, outcomeUnknown }: ListedOrder): string {
  if (refusal !== undefined) return `${status}: ${refusal.code} ${refusal.msg}`;
  return outcomeUnknown ? `${status}, creation outcome unknown` : status;
}

export const orders: OperationGroup = {
  name: "orders",
  about: [],
  operations: [list],
  examples: [
    "orders",
    "orders --status refused --from 1h",
    "orders --text 1001 --from 7d",
    "orders --from 2026-11-15 --until 2026-11-15 --flag any",
  ],
};
