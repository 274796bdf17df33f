import * as z from "zod";
import { removeAttention } from "../../../shared/attention/attention.ts";
import { updateItem } from "../../../shared/table/items.ts";
import { counted } from "../../../shared/text/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { describeChange, failedAfter } from "../described/describe.ts";
import type { Planned, Report, Work } from "../described/description.ts";
import { withRule } from "../described/fields.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../ports/target.ts";
import { auditOf, choiceFault, chooseItems, previewOf, selectionFields } from "./choose-items.ts";
import type { FoundItem } from "./item.ts";

export const dismiss = describeChange({
  verb: "dismiss",
  title: "Dismiss",
  summary:
    "Closes items without sending anything: a notice is settled, nobody needs the callback, or the subscribers will never need the event. The record stays until its usual expiry, and the same callback does not reopen the item. Items that still wait cannot be dismissed.",
  input: withRule(z.object(selectionFields), choiceFault),
  words: ["ids"],
  requires: "(ID... | FILTER | --all)",
  plan: async (target, asked, work): Promise<Planned> => {
    const { found, isMore } = await chooseItems(target, asked, work);
    const chosen = found.filter(isSettled).map((foundItem) => ({
      ...foundItem,
      names: Object.keys(foundItem.item.subscribers).filter(
        (name) => name === (asked.subscriber ?? name),
      ),
    }));
    const waiting = found.length - chosen.length;
    const names = [...new Set(chosen.flatMap((chosenItem) => chosenItem.names))].sort();
    return {
      ...previewOf(chosen, {
        verb: "Dismiss",
        would: [
          `${counted(chosen.length, "record")} would be dismissed. Nothing is sent.`,
          ...(names.length > 0
            ? [`These subscribers will never receive the event: ${names.join(", ")}.`]
            : []),
        ],
        leftOut: waiting > 0 ? [`Skipped: ${waiting} that still wait or were never tried.`] : [],
        isMore,
        data: { subscribers: names, waiting },
      }),
      act: async (actual, acting) => {
        await actual.audit.write("attention-dismiss", auditOf(asked, chosen));
        return await dismissAll(actual, chosen, acting);
      },
    };
  },
});

interface Dismissed extends FoundItem {
  /** The subscribers that will not get the event: the given one, or all that have not received it. */
  readonly names: readonly string[];
}

/** What waits may still be delivered, and what was never tried needs a redrive first. */
function isSettled({ item: { kind } }: FoundItem): boolean {
  return kind !== "waiting" && kind !== "untried" && kind !== "finished";
}

async function dismissAll(
  target: Pick<Target, "clock" | "records">,
  chosen: readonly Dismissed[],
  { stopped, tell }: Work,
): Promise<Report> {
  let dismissed = 0;
  let changed = 0;
  try {
    await fewAtOnce(chosen, async (chosenItem) => {
      if (stopped.aborted) return;
      if (await dismissOne(target, chosenItem)) dismissed += 1;
      else changed += 1;
      tell(`Dismissed: ${dismissed} of ${chosen.length}`);
    });
  } catch (error) {
    throw failedAfter(`${counted(dismissed, "record")} dismissed.`, error);
  }
  return {
    lines: [
      `${counted(dismissed, "record")} dismissed.`,
      ...(changed > 0 ? [`${changed} changed after they were shown and were skipped.`] : []),
      ...(stopped.aborted ? ["Stopped. Repeat the operation to continue."] : []),
    ],
    data: { dismissed, changed, stopped: stopped.aborted },
    isGood: dismissed === chosen.length,
  };
}

/** Only what is still as it was shown; false if it changed. */
export async function dismissOne(
  target: Pick<Target, "clock" | "records">,
  dismissed: Dismissed,
): Promise<boolean> {
  const { item, key, names } = dismissed;
  const shown = Object.keys(item.subscribers);
  const { expression, values } = endAttention(dismissed);
  return await updateItem(target.records.database, {
    table: target.records.table,
    key: { ...key },
    expression: [
      names.length > 0 ? "ADD dismissed :names DELETE pending :names" : "",
      "SET dismissedAt = :now",
      expression,
    ].join(" "),
    condition: [
      "attentionShard = :shard AND attentionSince = :since",
      ...shown.map((_item, index) => `contains(pending, :name${index})`),
    ].join(" AND "),
    values: {
      shard: dismissed.attentionShard,
      since: item.since,
      now: toRfc3339(target.clock.now()),
      ...values,
      ...(names.length > 0 && { names: new Set(names) }),
      ...Object.fromEntries(shown.map((name, index) => [`name${index}`, name])),
    },
  });
}

/** How the update goes on after `SET dismissedAt`, and its values. */
interface AttentionUpdate {
  readonly expression: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** If other subscribers still miss the event, its attention goes on for them. Otherwise the item is closed. */
function endAttention({ item, names, attention, keptUntil }: Dismissed): AttentionUpdate {
  const missing = Object.entries(item.subscribers).filter(([name]) => !names.includes(name));
  if (missing.length > 0) {
    const remaining = { ...attention, subscribers: Object.fromEntries(missing) };
    return { expression: ", attention = :attention", values: { attention: remaining } };
  }
  if (keptUntil === undefined) return { expression: removeAttention, values: {} };
  return { expression: `, expiresAt = :keptUntil ${removeAttention}`, values: { keptUntil } };
}
