import * as z from "zod";
import { attentionKinds } from "../../../shared/attention/attention-kinds.ts";
import type { Planned, Table, Work } from "../described/description.ts";
import { choice, chooseByPrefix, flag, ids, text, time } from "../described/fields.ts";
import { mostAuditedIds } from "../ports/audit.ts";
import { severalMerchants } from "../ports/stack.ts";
import type { Target } from "../ports/target.ts";
import { reasonText } from "../reason-words.ts";
import { type FoundItems, findItems } from "./find-items.ts";
import type { AttentionItem, FoundItem, ItemFilter } from "./item.ts";
import { detailText, itemWords } from "./item-words.ts";

/** How a list is limited, in the command and on the page. */
export const filterFields = {
  kind: choice("only items of this kind; notice selects all kinds of notices", [
    ...attentionKinds,
    "notice",
  ]),
  reason: text("only items with this reason, such as event-unknown", "R"),
  merchant: text("only items of this merchant", "ID"),
  subscriber: text("only events that this subscriber has not received", "NAME"),
  order: text("only items of this order and its payments", "ORDER_NO"),
  since: time("only items that need attention since this time or later", "since"),
  until: time("with --since: only until this time", "until"),
};
const filterSchema = z.object(filterFields);
type Filter = z.output<typeof filterSchema>;

/** Only the filter, whatever else an operation takes. */
export function filterOf({ merchant, order, ...same }: Filter): ItemFilter {
  const { kind, reason, subscriber, since, until } = same;
  return { kind, reason, subscriber, since, until, merchantId: merchant, orderNo: order };
}

/** What a change is made to: ids, or everything that matches a filter. */
export const selectionFields = {
  ids,
  ...filterFields,
  all: flag("all items; required if there is no ID and no FILTER (such as --kind or --order)"),
};
const selectionSchema = z.object(selectionFields);
type Selection = z.output<typeof selectionSchema>;

export function rangeFault({ since, until }: Pick<Filter, "since" | "until">): string | undefined {
  const isBackwards = since !== undefined && until !== undefined && since > until;
  return isBackwards ? "must have a time range that starts before it ends" : undefined;
}

/** Only an order and no other filter: this selects all of its records, including settled ones. */
export function wholeOrderOf({ ids: wanted, all, ...rest }: Selection): string | undefined {
  const { merchantId: _merchantId, orderNo, ...others } = filterOf(rest);
  const isOnly = wanted.length === 0 && !all && Object.values(others).every(isUndefined);
  return isOnly ? orderNo : undefined;
}

function isUndefined(value: unknown): boolean {
  return value === undefined;
}

/** A change needs a selection: an empty one must not mean everything. */
export function choiceFault(selection: Selection): string | undefined {
  const { ids: wanted, all } = selection;
  const isFiltered = Object.values(filterOf(selection)).some((value) => value !== undefined);
  const isChosen = wanted.length > 0 || isFiltered || all;
  return isChosen ? rangeFault(selection) : "must have ids, a filter such as --reason, or --all";
}

/** Throws `not-found` or `ambiguous-id` for an id. */
export async function chooseItems(
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "queues">,
  selection: Selection,
  work: Work,
): Promise<FoundItems> {
  const { ids: wanted } = selection;
  const filter = filterOf(selection);
  if (wanted.length === 0) {
    const items = await findItems(target, filter, work);
    if (filter.orderNo !== undefined) refuseSeveralMerchants(items);
    return items;
  }
  const { found } = await findItems(target, { ...filter, ids: wanted }, work);
  const chosen = wanted.map((id) => chooseByPrefix(found, id, ({ item }) => item.id));
  return { found: [...new Set(chosen)], isMore: false };
}

/** Merchants may use the same order number, and a change is meant for one order. */
function refuseSeveralMerchants({ found }: FoundItems): void {
  const merchantIds = [...new Set(found.map(({ item }) => item.merchantId))];
  if (merchantIds.length > 1) throw severalMerchants(merchantIds);
}

interface Preview {
  readonly verb: "Redrive" | "Dismiss";
  /** What would be done. Not shown if nothing is chosen. */
  readonly would: readonly string[];
  readonly leftOut: readonly string[];
  /** There is more than one change works on. */
  readonly isMore: boolean;
  readonly data: object;
}

const sampleSize = 5;

/** What a change would do with the chosen items, of which it shows the first. */
export function previewOf(
  chosen: readonly FoundItem[],
  { verb, would, leftOut, isMore, data }: Preview,
): Pick<Planned, "report" | "yes"> {
  const count = chosen.length;
  const sample = chosen.slice(0, sampleSize).map(({ item }) => item);
  const below = [
    ...(count > sampleSize ? [`And ${count - sampleSize} more.`] : []),
    ...leftOut,
    ...(isMore
      ? [`There are more items than one run can change. ${verb} these first, then list again.`]
      : []),
  ];
  const isGood = count > 0;
  const lines = isGood ? would : [`There is nothing to ${verb.toLowerCase()}.`];
  const table = isGood && { table: sampleTable(sample) };
  const report = { lines, ...table, below, data: { count, sample, ...data }, isGood };
  return { report, yes: isGood ? `${verb} ${count}` : undefined };
}

/** Few columns: a preview is read in a dialog, too. */
function sampleTable(sample: readonly AttentionItem[]): Table {
  const rows = sample.map((item) => [
    item.orderNo ?? item.paymentId ?? item.id,
    itemWords[item.kind].title,
    { time: item.since },
    detailText(item) || reasonText(item.reason),
  ]);
  return { head: ["about", "state", "since", "detail"], rows };
}

/** The selection, and what it has found, as the audit line has them. */
export function auditOf(selection: Selection, found: readonly FoundItem[]) {
  const { ids: wanted, all } = selection;
  const given = Object.entries(filterOf(selection)).filter(([, value]) => value !== undefined);
  return {
    selection: wanted.length > 0 ? "ids" : all ? "all" : "filter",
    ...Object.fromEntries(given),
    count: found.length,
    ids: found.slice(0, mostAuditedIds).map(({ item }) => item.id),
  };
}
