import * as z from "zod";
import { readInboxMessage } from "../../../shared/inbox/inbox-message.ts";
import { indentJson } from "../../../shared/indent-json.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { describeLook } from "../described/describe.ts";
import type { OperationGroup, Report } from "../described/description.ts";
import { flag, id, wholeNumber, withRule } from "../described/fields.ts";
import { loadRecord } from "../records/read-records.ts";
import { chooseItems, filterFields, filterOf, rangeFault } from "./choose-items.ts";
import { dismiss } from "./dismiss.ts";
import { findNewest } from "./find-items.ts";
import type { QuarantinedItem, ShownItem } from "./item.ts";
import { detailText, factsOf, itemTable, itemWords, reasonText } from "./item-words.ts";
import { redrive } from "./redrive.ts";

export interface QuarantineList {
  /** Newest first. */
  readonly items: readonly QuarantinedItem[];
  /** How many match besides those in `items`. */
  readonly more: number;
  /** There are more than were counted. */
  readonly isMore: boolean;
}

const list = describeLook({
  verb: "list",
  summary: "What needs a person, or waits for a subscriber: newest first.",
  promises: [
    "An index has what is not right now, so a list is one query for each kind and shard, however large the table is, and nothing of it expires. An empty list is no failure: the exit code is 0.",
    "An event that nothing has tried for more than seven minutes is *not tried*. With `--order ORDER_NO` or `--since TIME [--until TIME]` the recorded events of that order (with its payments) or time are read one by one, unless `--kind` or `--reason` is given. To name such an event by its id, give the same place: `npx paycast quarantine redrive 3f9a --order ORDER-1001 --yes`. A time with more than 100,000 recorded events is refused: take a shorter one.",
  ],
  input: withRule(
    z.object({ ...filterFields, limit: wholeNumber("how many to list", 50, 1, 10_000) }),
    rangeFault,
  ),
  look: async (target, { limit, ...filter }, work): Promise<Report<QuarantineList>> => {
    const { found, isMore } = await findNewest(target, filterOf(filter), limit, work);
    const items = found.slice(0, limit).map(({ item }) => item);
    const more = found.length - items.length;
    const least = isMore ? "At least " : "";
    return {
      lines: items.length === 0 ? ["Nothing needs a person."] : [],
      ...(items.length > 0 && { table: itemTable(items) }),
      below: more > 0 ? [`${least}${more} more, older. Show them with --limit.`] : [],
      data: { items, more, isMore },
      isGood: true,
    };
  },
});

const { order, since, until } = filterFields;

const show = describeLook({
  verb: "show",
  summary: "Everything about one, with its payload.",
  promises: [
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
    const record = found && (await loadRecord(target, found.key));
    if (found === undefined || record === undefined) {
      throw new PaycastError("not-found", "It was settled a moment ago. Look at the list again.");
    }
    const message = readInboxMessage(record.message);
    const { content } = message;
    const bytes = content.kind === "text" ? Buffer.from(content.text) : content.bytes;
    const shown: ShownItem = {
      item: found.item,
      payload:
        content.kind === "text" ? { text: content.text } : { base64: bytes.toString("base64") },
      eventName: message.origin === "callback" ? message.eventName : undefined,
      keyVersion: record.keyVersion,
      traceparent: message.traceparent,
    };
    return { ...reportOf(shown), ...(raw && { bytes }) };
  },
});

/** The payload is indented, but not changed: every digit stays, since a digit may be the reason. */
function reportOf(shown: ShownItem): Report<ShownItem> {
  const { item, payload } = shown;
  const isText = "text" in payload;
  return {
    lines: [`${reasonText(item.reason)} (${item.reason}).`, itemWords[item.kind].todo],
    facts: [
      ["state", itemWords[item.kind].title],
      ["detail", detailText(item) || undefined],
      ...factsOf(shown),
      ["payload", isText ? undefined : "not text; as base64 below"],
    ],
    text: isText ? (indentJson(payload.text) ?? payload.text) : payload.base64,
    data: shown,
    isGood: true,
  };
}

export const quarantine: OperationGroup = {
  name: "quarantine",
  about: [
    "Everything that needs a person: callbacks that could not be understood, and events that a subscriber's queue refuses. Each is a record in the callbacks table, and stays there until it is settled.",
    "An event that nothing ever tried to deliver is in no index. It is found with an order or a time.",
  ],
  operations: [list, show, redrive, dismiss],
  examples: [
    "quarantine list --reason event-unknown",
    "quarantine list --order ORDER-1001",
    "quarantine show 3f9a",
    "quarantine redrive --reason event-unknown --stack PaycastStack",
    "quarantine redrive 3f9a 77c0 --yes",
    "quarantine dismiss --subscriber old-team --yes",
  ],
};
