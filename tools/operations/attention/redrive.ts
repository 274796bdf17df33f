import { randomUUID } from "node:crypto";
import * as z from "zod";
import { writeRedrive } from "../../../shared/inbox/inbox-body.ts";
import type { CallbackRecord } from "../../../shared/records/callback-record.ts";
import { sha256Of } from "../../../shared/sha256.ts";
import { counted } from "../../../shared/text/number-text.ts";
import { describeChange, failedAfter } from "../described/describe.ts";
import type { Planned, Report, Work } from "../described/description.ts";
import { wholeNumber, withRule } from "../described/fields.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../ports/target.ts";
import { loadRecord } from "../records/read-records.ts";
import {
  auditOf,
  choiceFault,
  chooseItems,
  previewOf,
  selectionFields,
  wholeOrderOf,
} from "./choose-items.ts";
import { findWholeOrder } from "./finished-records.ts";
import {
  followRedriven,
  loadFirst,
  reportRedriven,
  type SentItem,
  triedAtOf,
} from "./follow-redriven.ts";
import { type AttentionItem, type FoundItem, isNotice } from "./item.ts";

const input = z.object({
  ...selectionFields,
  wait: wholeNumber("how many seconds to wait for the outcome; 0 does not wait", 60, 0, 3_600),
});

export const redrive = describeChange({
  verb: "redrive",
  title: "Redrive",
  summary:
    "Processes the stored messages of the chosen items again. It is safe to repeat, to interrupt and to run twice: no event is published twice, and only subscribers that have not received an event get it.",
  input: withRule(input, choiceFault),
  words: ["ids"],
  requires: "(ID... | FILTER | --all)",
  plan: async (target, asked, work): Promise<Planned> => {
    const { found, isMore } = await chooseItems(target, asked, work);
    const orderNo = wholeOrderOf(asked);
    const { merchant: merchantId } = asked;
    const ofOrder =
      orderNo === undefined ? [] : await findWholeOrder(target, { merchantId, orderNo });
    // A whole order includes undeliverable records: they may have a fact that the order lacks.
    const gone = orderNo === undefined ? found.filter(isForGone) : [];
    // Waiting events are retried anyway, so they are sent only if selected explicitly.
    const isNamed = asked.ids.length > 0 || asked.kind === "waiting" || orderNo !== undefined;
    const notices = found.filter(cannotBeRedriven);
    const others = found.filter(
      (foundItem) => !gone.includes(foundItem) && !notices.includes(foundItem),
    );
    const chosen = others.filter((foundItem) => isNamed || foundItem.item.kind !== "waiting");
    const waiting = others.length - chosen.length;
    const known = new Set(chosen.map(({ item }) => item.id));
    const further = ofOrder.filter(({ item }) => !known.has(item.id));
    const all = [...chosen, ...further];
    const finished = all.filter(({ item }) => item.kind === "finished");
    return {
      ...previewOf(all, {
        verb: "Redrive",
        would: [
          `${counted(all.length, "message")} would be sent to the inbox again. Nothing is published twice.`,
          ...finishedText(finished),
        ],
        leftOut: [...leftOut(gone, waiting), ...noticesText(notices)],
        isMore,
        data: { gone: gone.length, waiting, finished: finished.length },
      }),
      act: async (actual, acting) => {
        await actual.audit.write("attention-redrive", auditOf(asked, all));
        return await sendAndFollow(actual, all, asked.wait * 1000, acting);
      },
    };
  },
});

/**
 * Undeliverable, and every subscriber without it was removed from the config: a redrive would fail again. What waits or
 * was never tried is sent nevertheless: it cannot be dismissed before it is undeliverable.
 */
function isForGone({ item: { kind, subscribers, gone } }: FoundItem): boolean {
  return kind === "undeliverable" && gone.length === Object.keys(subscribers).length;
}

/** A notice holds no message, and what this version cannot read may hold none. */
function cannotBeRedriven(found: FoundItem): boolean {
  return isNotice(found) || found.item.kind === "unknown";
}

function noticesText({ length }: readonly FoundItem[]): readonly string[] {
  if (length === 0) return [];
  return [
    `Skipped: ${counted(length, "notice")}. A notice holds no message, so it cannot be redriven. Dismiss it when it is settled.`,
  ];
}

function finishedText({ length }: readonly FoundItem[]): readonly string[] {
  if (length === 0) return [];
  return [
    `${length} of them need no attention. They restore what the order and its payments lack after a table restore.`,
  ];
}

function leftOut(gone: readonly FoundItem[], waiting: number): readonly string[] {
  const [name] = gone.flatMap(({ item }) => item.gone);
  const events = counted(gone.length, "event");
  return [
    ...(name === undefined
      ? []
      : [
          `Skipped: ${events} for subscribers that are no longer configured, such as ${name}. Dismiss them.`,
        ]),
    ...(waiting > 0
      ? [
          `Skipped: ${waiting} that wait. Paycast retries them automatically. To send them now: --kind waiting.`,
        ]
      : []),
  ];
}

async function sendAndFollow(
  target: Pick<Target, "clock" | "orders" | "records" | "queues" | "audit">,
  chosen: readonly FoundItem[],
  waitMilliseconds: number,
  work: Work,
): Promise<Report> {
  const sending: Sending = { sent: [], settled: 0 };
  try {
    await sendAll(target, chosen, sending, work);
  } catch (error) {
    throw failedAfter(`${counted(sending.sent.length, "message")} sent.`, error);
  }
  const items = await followRedriven(target, sending.sent, waitMilliseconds, work);
  return reportRedriven(items, sending.settled, waitMilliseconds > 0, work.stopped.aborted);
}

interface Sending {
  readonly sent: SentItem[];
  /** What was delivered, understood or dismissed since the preview was made. */
  settled: number;
}

/** Groups side by side, and within a group the oldest first, each after the one before is in the inbox. */
async function sendAll(
  target: Pick<Target, "records" | "queues">,
  chosen: readonly FoundItem[],
  sending: Sending,
  { stopped, tell }: Work,
): Promise<void> {
  const { sent } = sending;
  const run = randomUUID();
  const inbox = target.queues.open(target.queues.inbox.url);
  await fewAtOnce(groupsOf(chosen), async (group) => {
    for (const foundItem of group) {
      if (stopped.aborted) return;
      const record = await loadRecord(target, foundItem.key);
      const isWanted = foundItem.item.kind === "finished" || (record && isOpen(record));
      if (record === undefined || !isWanted) {
        sending.settled += 1;
        continue;
      }
      const order = {
        group: record.group,
        deduplicationId: sha256Of("redrive", run, foundItem.item.id),
      };
      const first = await loadFirst(target, foundItem);
      await inbox.send({ body: writeRedrive(foundItem.key), attributes: {}, order });
      sent.push({ ...foundItem, triedAt: triedAtOf(record), firstTriedAt: triedAtOf(first) });
      tell(`Sent to the inbox: ${sent.length} of ${chosen.length}`);
    }
  });
}

/** The items of each group, oldest first. */
function groupsOf(chosen: readonly FoundItem[]): readonly (readonly FoundItem[])[] {
  const groups = new Map<string, FoundItem[]>();
  for (const foundItem of chosen.toSorted((a, b) => byReceipt(a.item, b.item))) {
    const group = groups.get(foundItem.group);
    if (group === undefined) groups.set(foundItem.group, [foundItem]);
    else group.push(foundItem);
  }
  return [...groups.values()];
}

/** True even if every subscriber has received the event: process-callback then removes the leftover attention. */
function isOpen(record: CallbackRecord): boolean {
  if (record.outcome === "known-fact") return false;
  if (record.attention !== undefined) return true;
  return record.outcome === "published" && record.pending.length > 0;
}

/** Of two that arrived in the same millisecond, the one that was processed first is older. */
function byReceipt(left: AttentionItem, right: AttentionItem): number {
  const order = left.receivedAt.localeCompare(right.receivedAt);
  return order === 0 ? left.since.localeCompare(right.since) : order;
}
