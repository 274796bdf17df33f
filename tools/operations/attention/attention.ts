import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { readInboxMessage } from "../../../shared/inbox/inbox-message.ts";
import { indentJson } from "../../../shared/json/indent-json.ts";
import { describeLook } from "../described/describe.ts";
import type { OperationGroup, Report } from "../described/description.ts";
import { flag, id, wholeNumber, withRule } from "../described/fields.ts";
import type { Target } from "../ports/target.ts";
import { reasonText } from "../reason-words.ts";
import { loadRecord, type StoredPayload } from "../records/read-records.ts";
import { chooseItems, filterFields, filterOf, rangeFault } from "./choose-items.ts";
import { dismiss } from "./dismiss.ts";
import { findNewest } from "./find-items.ts";
import {
  type AttentionItem,
  type FoundItem,
  isNotice,
  type ShownItem,
  type ShownReceipt,
} from "./item.ts";
import { detailText, explainKinds, factsOf, itemTable, itemWords } from "./item-words.ts";
import { redrive } from "./redrive.ts";
import { addMoney, showNotice } from "./show-notice.ts";

export interface AttentionList {
  /** Newest first. */
  readonly items: readonly AttentionItem[];
  /** How many match besides those in `items`. */
  readonly more: number;
  /** There are more than were counted. */
  readonly isMore: boolean;
}

const list = describeLook({
  verb: "list",
  summary: "Lists the items that need attention or wait for a subscriber, newest first.",
  input: withRule(
    z.object({ ...filterFields, limit: wholeNumber("how many to list", 50, 1, 10_000) }),
    rangeFault,
  ),
  look: async (target, { limit, ...filter }, work): Promise<Report<AttentionList>> => {
    const { found, isMore } = await findNewest(target, filterOf(filter), limit, work);
    const items = await addMoney(target, found.slice(0, limit));
    const more = found.length - items.length;
    const least = isMore ? "At least " : "";
    return {
      lines: items.length === 0 ? ["Nothing needs attention."] : [],
      ...(items.length > 0 && { table: itemTable(items) }),
      below: [
        ...(more > 0
          ? [`${least}${more} older items are not shown. Raise --limit to see them.`]
          : []),
        ...explainKinds(items),
      ],
      data: { items, more, isMore },
      isGood: true,
    };
  },
});

const { order, since, until } = filterFields;

const show = describeLook({
  verb: "show",
  summary: "Shows one item: its payload, or the amounts and transactions of a notice.",
  input: withRule(
    z.object({
      id,
      order,
      since,
      until,
      raw: flag("the exact bytes of the payload, nothing else"),
    }),
    rangeFault,
  ),
  words: ["id"],
  look: async (target, { id: wanted, raw, ...place }, work): Promise<Report<ShownItem>> => {
    const selection = { ids: [wanted], all: false, ...place };
    const [found] = (await chooseItems(target, selection, work)).found;
    if (found?.item.kind === "unknown") return reportUnreadable(found);
    const shown = found && (await (isNotice(found) ? showNotice : showReceipt)(target, found));
    if (shown === undefined) {
      throw new PaycastError(
        "not-found",
        "The item was settled in the meantime. List the items again.",
      );
    }
    return { ...reportOf(shown), ...(raw && "payload" in shown && { bytes: bytesOf(shown) }) };
  },
});

async function showReceipt(
  target: Pick<Target, "records">,
  { item, key }: FoundItem,
): Promise<ShownReceipt | undefined> {
  const record = await loadRecord(target, key);
  if (record === undefined) return undefined;
  const message = readInboxMessage(record.message);
  const { content } = message;
  return {
    item,
    payload:
      content.kind === "text"
        ? { text: content.text }
        : { base64: Buffer.from(content.bytes).toString("base64") },
    eventName: message.origin === "callback" ? message.eventName : undefined,
    keyVersion: record.keyVersion,
    traceparent: message.traceparent,
  };
}

function bytesOf({ payload }: ShownReceipt): Buffer {
  return "text" in payload ? Buffer.from(payload.text) : Buffer.from(payload.base64, "base64");
}

/** The payload is indented, but not changed: every digit stays, since a digit may be the reason. */
function reportOf(shown: ShownItem): Report<ShownItem> {
  const { item } = shown;
  const { title, means, todo, ends } = itemWords[item.kind];
  const payload = "payload" in shown ? shown.payload : undefined;
  const isBase64 = payload !== undefined && "base64" in payload;
  return {
    lines: [
      ...(item.reason === item.kind ? [] : [`${reasonText(item.reason)} (${item.reason}).`]),
      means,
      `Do: ${todo}`,
      `Ends: ${ends}`,
    ],
    facts: [
      ["state", title],
      ["detail", detailText(item) || undefined],
      ...factsOf(shown),
      ["payload", isBase64 ? "not text; as base64 below" : undefined],
    ],
    ...(payload && { text: payloadText(payload) }),
    data: shown,
    isGood: true,
  };
}

function payloadText(payload: StoredPayload): string {
  return "text" in payload ? (indentJson(payload.text) ?? payload.text) : payload.base64;
}

/** Nothing of it can be read but where it is. */
function reportUnreadable({ item, key }: FoundItem): Report<ShownItem> {
  const { title, means, todo, ends } = itemWords.unknown;
  return {
    lines: [means, `Do: ${todo}`, `Ends: ${ends}`],
    facts: [
      ["state", title],
      ["since", { time: item.since }],
      ["callbackKey", key.callbackKey],
      ["receipt", key.receipt],
      ["id", { id: item.id }],
    ],
    data: {
      item,
      revealed: {},
      expected: undefined,
      status: undefined,
      paid: [],
      refunded: [],
      otherNumber: undefined,
    },
    isGood: true,
  };
}

export const attention: OperationGroup = {
  name: "attention",
  about: [
    "Lists and settles what needs attention: callbacks that Paycast cannot understand, events that a subscriber's queue rejects, and notices about money or an order. Each item is a record in the callbacks table and does not expire until it is settled.",
    "An event that Paycast never tried to deliver is in no index. Find it with --order or --since.",
  ],
  operations: [list, show, redrive, dismiss],
  examples: [
    "attention list --kind duplicate-payment",
    "attention list --order ORDER-1001",
    "attention show 3f9a",
    "attention redrive --reason event-unknown --stack PaycastStack",
    "attention redrive 3f9a 77c0 --yes",
    "attention dismiss 3f9a --yes",
  ],
};
