import * as z from "zod";
import { readInboxMessage } from "../../shared/inbox/inbox-message.ts";
import { indentJson } from "../../shared/indent-json.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { describeLook } from "../described/describe.ts";
import type { Report } from "../described/description.ts";
import { flag, id } from "../described/fields.ts";
import { loadRecord } from "../records/read-records.ts";
import { chooseItems, filterFields } from "./choose-items.ts";
import type { ShownItem } from "./item.ts";
import { detailText, factsOf, kindWords, reasonText } from "./words.ts";

const { order, since, until } = filterFields;

export const show = describeLook({
  verb: "show",
  summary: "Everything about one, with its payload.",
  promises: [
    "The payload is indented, but not changed: every digit of a number stays. `--raw` writes the exact bytes and nothing else.",
  ],
  input: z.object({
    id,
    ...{ order, since, until },
    raw: flag("the exact bytes of the payload, nothing else"),
  }),
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
    lines: [`${reasonText(item.reason)} (${item.reason}).`, kindWords[item.kind].todo],
    facts: [
      ["state", kindWords[item.kind].title],
      ["detail", detailText(item) || undefined],
      ...factsOf(shown),
    ],
    below: isText ? [] : ["The payload is not text. As base64:"],
    text: isText ? (indentJson(payload.text) ?? payload.text) : payload.base64,
    data: shown,
    isGood: true,
  };
}
