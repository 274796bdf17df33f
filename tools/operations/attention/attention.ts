import * as z from "zod";
import { readInboxMessage } from "../../../shared/inbox/inbox-message.ts";
import { indentJson } from "../../../shared/indent-json.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { describeLook } from "../described/describe.ts";
import type { OperationGroup, Report } from "../described/description.ts";
import { flag, id, wholeNumber, withRule } from "../described/fields.ts";
import { reasonText } from "../reason-words.ts";
import { loadRecord, type StoredPayload } from "../records/read-records.ts";
import type { Target } from "../target/target.ts";
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
  summary: "What needs a person, or waits for a subscriber: newest first.",
  promises: [
    "An index has what is not right now, so a list is one query for each shard of each part of the index, however large the table is, and nothing of it expires. An empty list is no failure: the exit code is 0.",
    "The newest 20 notices of a list say which amounts and transactions they are about, read from their orders; `show` has them for each.",
    "Below the list is for each kind what happened, what to do, and how it ends.",
    "An event that nothing has tried for more than seven minutes is *not tried*. With `--order ORDER_NO` or `--since TIME [--until TIME]` the recorded events of that order (with its payments) or time are read one by one, unless `--kind` or `--reason` is given. To name such an event by its id, give the same place: `npx paycast attention redrive 3f9a --order ORDER-1001 --yes`. A time with more than 100,000 recorded events is refused: take a shorter one.",
  ],
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
      lines: items.length === 0 ? ["Nothing needs a person."] : [],
      ...(items.length > 0 && { table: itemTable(items) }),
      below: [
        ...(more > 0 ? [`${least}${more} more, older. Show them with --limit.`] : []),
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
  summary: "Everything about one: its payload, or the amounts and transactions of a notice.",
  promises: [
    "A notice has no payload: what revealed it is shown beside what is stored of its order and payments.",
    "The payload is indented, but not changed: every digit of a number stays. `--raw` writes the exact bytes and nothing else.",
  ],
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
      throw new PaycastError("not-found", "It was settled a moment ago. Look at the list again.");
    }
    return { ...reportOf(shown), ...(raw && "payload" in shown && { bytes: bytesOf(shown) }) };
  },
});

async function showReceipt(
  target: Target,
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
    "Everything that needs a person: callbacks that could not be understood, events that a subscriber's queue refuses, and notices of what is odd about money or an order. Each is a record in the callbacks table, and stays there until it is settled.",
    "An event that nothing ever tried to deliver is in no index. It is found with an order or a time.",
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
