import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { groupOf } from "../../../shared/facts/subject.ts";
import { counted } from "../../../shared/text/number-text.ts";
import { shellWord } from "../../../shared/text/shell-word.ts";
import { explainAwsError } from "../explain-error.ts";
import { merchantIdsOf, noSuchMerchant } from "../ports/stack.ts";
import type { Target } from "../ports/target.ts";
import { recordsOfCallback, recordsOfGroup } from "../records/read-records.ts";
import { findAttempts } from "../requests/find-attempts.ts";
import { stackOption } from "../stack-option.ts";
import { type CallbackAttempt, joinAttempts } from "../timeline/callback-attempts.ts";
import { type OrderTimeline, readOrderTimeline } from "../timeline/order-timeline.ts";
import { type ReceiptEntry, toReceiptEntry } from "../timeline/receipt-entry.ts";
import { type FindOptions, type Found, findExact, searchKinds } from "./find-anything.ts";
import type { SearchHit } from "./search-hit.ts";

/** What a number leads to. */
export interface LookedUp {
  readonly hit: SearchHit;
  /** Of the order that it belongs to; undefined if it belongs to none. */
  readonly timeline?: OrderTimeline | undefined;
  /** Of a payment that is linked to no order: what is recorded of it. */
  readonly receipts?: readonly ReceiptEntry[] | undefined;
  /** If the number is a callback's. */
  readonly callback?: CallbackHistory | undefined;
}

/** What is known of a callback. */
export interface CallbackHistory {
  /** Usually one; more if different content has the same id. */
  readonly receipts: readonly ReceiptEntry[];
  /** Each request with this id that the log has, oldest first. */
  readonly attempts: readonly CallbackAttempt[];
  /** Why there may be more attempts than these. */
  readonly gap?: string | undefined;
}

/**
 * Finds out what a number is, and reads what belongs to it. Throws `nothing-stored`, or `ambiguous-id` if it matches
 * several things.
 */
export async function lookUp(
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "queues" | "log">,
  text: string,
  options: FindOptions,
): Promise<LookedUp> {
  const known = merchantIdsOf(target.stack);
  const { merchant } = options;
  if (merchant !== undefined && !known.includes(merchant)) throw noSuchMerchant(known);
  const found = await findExact(target, text, options);
  const [hit] = found.hits;
  if (hit === undefined) throw new PaycastError("nothing-stored", nothingText(found, options));
  if (found.hits.some((other) => placeOf(other) !== placeOf(hit))) {
    throw new PaycastError("ambiguous-id", severalText(found.hits, stackOption(target.stack)));
  }
  return await readHit(target, hit);
}

async function readHit(
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "queues" | "log">,
  hit: SearchHit,
): Promise<LookedUp> {
  const { what, merchantId, orderNo, paymentId, callbackId } = hit;
  const callback =
    what === "callback" && callbackId !== undefined
      ? await readCallback(target, merchantId, callbackId)
      : undefined;
  if (orderNo !== undefined) {
    return { hit, callback, timeline: await readOrderTimeline(target, orderNo, merchantId) };
  }
  if (paymentId === undefined) return { hit, callback };
  const group = groupOf({ kind: "payment", merchantId, paymentId });
  return { hit, callback, receipts: (await recordsOfGroup(target, group)).map(toReceiptEntry) };
}

const dayMilliseconds = 24 * 3_600_000;
/** The service retries for seven days (§6), so rejected attempts may be as old. */
const retryMilliseconds = 8 * dayMilliseconds;

async function readCallback(
  target: Pick<Target, "clock" | "records" | "log">,
  merchantId: string,
  callbackId: string,
): Promise<CallbackHistory> {
  const records = await recordsOfCallback(target, merchantId, callbackId);
  const receipts = records.map(toReceiptEntry);
  const times = receipts.map(({ at }) => Date.parse(at));
  const range = {
    from: new Date(Math.min(...times) - retryMilliseconds).toISOString(),
    until: new Date(
      Math.min(target.clock.now(), Math.max(...times) + retryMilliseconds),
    ).toISOString(),
  };
  try {
    const wanted = { merchantId, orderNo: "", paymentIds: [], callbackIds: [callbackId], ...range };
    const { lines, isPartial } = await findAttempts(target, wanted);
    const gap = isPartial ? "The log was not searched completely." : undefined;
    return { receipts, attempts: joinAttempts(lines, []), gap };
  } catch (error) {
    const explained = explainAwsError(error);
    if (explained === undefined) throw error;
    return { receipts, attempts: [], gap: `The log was not searched. ${explained.message}` };
  }
}

/** Two hits with the same place lead to the same result. */
function placeOf({ merchantId, orderNo, paymentId, callbackId }: SearchHit): string {
  return JSON.stringify([merchantId, orderNo ?? paymentId ?? callbackId]);
}

/** The hits with the options that choose each of them. */
function severalText(hits: readonly SearchHit[], stack: string): string {
  const lines = hits.map((hit) => {
    const { what, merchantId, orderNo, status } = hit;
    const order = orderNo === undefined ? "no order" : `order ${orderNo}`;
    const state = status === undefined ? "" : `, ${status}`;
    const way = `${wayTo(hit)} --merchant ${shellWord(merchantId)}${stack}`;
    return `  ${what} of merchant ${merchantId}, ${order}${state}: ${way}`;
  });
  return `This matches ${hits.length} things. Choose one:\n${lines.join("\n")}`;
}

/** Records that name the same transaction differ in their order. */
function wayTo({ what, orderNo, callbackId }: SearchHit): string {
  const kind = what === "order number" ? "order" : what;
  if (searchKinds.some((known) => known === kind)) return `add --as ${kind}`;
  return `npx paycast order ${shellWord(orderNo ?? callbackId ?? "")}`;
}

/** What was searched: "nothing" alone says little. */
function nothingText({ lookedThrough }: Found, { as, merchant }: FindOptions): string {
  const who = merchant === undefined ? "" : ` of merchant ${merchant}`;
  const kinds = as === undefined ? "order number, payment or callback" : as;
  const indexed = as === "transaction" ? "" : `No stored ${kinds}${who} matches. `;
  const names = as === "transaction" ? "transaction" : "transaction, refund or event";
  const read =
    lookedThrough === undefined
      ? ""
      : `No ${names} matches in ${counted(lookedThrough.records, "recent callback")}, since ${lookedThrough.since}. `;
  return `${indexed}${read}${otherPlaces}`;
}

const otherPlaces =
  'The record may have expired. "npx paycast attention list" has callbacks that name no order, "npx paycast requests" has rejected ones, and "npx paycast orders --text" finds a part of an order number.';
