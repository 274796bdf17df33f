import { randomUUID } from "node:crypto";
import * as z from "zod";
import { writeRedrive } from "../../../shared/inbox/inbox-body.ts";
import { counted } from "../../../shared/number-text.ts";
import type { CallbackRecord } from "../../../shared/records/callback-record.ts";
import { sha256Of } from "../../../shared/sha256.ts";
import { describeChange, failedAfter } from "../described/describe.ts";
import type { Planned, Report, Work } from "../described/description.ts";
import { wholeNumber, withRule } from "../described/fields.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { openQueue } from "../queues/message-queue.ts";
import { loadRecord } from "../records/read-records.ts";
import type { Target } from "../target/target.ts";
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
    "Names the records to process-callback, which processes their stored messages as if just received. Safe to repeat, to interrupt and to run twice: what was processed before publishes nothing twice, and only the subscribers that miss an event get it.",
  promises: [
    "What is sent names a record and states nothing, so nobody needs the stamp key to redrive. Then the command waits up to 60 seconds (`--wait SECONDS`) and tells how it ended: done, still not understood with the reason, still missing at a subscriber, or not processed yet. The exit code is 0 only if all of it is done.",
    "With `--order ORDER_NO` alone (and `--merchant`), all records of the order and of its payments are named, oldest first, also those that need nobody; only dismissed callbacks that were never understood are left out. Finished ones publish nothing. They give the order back the facts, the status and the sequence that a table lacks after it was restored to an earlier time ([changing.md](changing.md#a-restored-table)); what create-order stored is in no record.",
    "What waits is tried anyway, so it is only sent if you name it by its id, by `--kind waiting` or with its whole order.",
    "It is safe to repeat, to interrupt and to run twice at once, also after a crash in the middle. What is settled is no longer in the list, so the same command goes on where it ended.",
    "Within an order, what was received earlier is sent earlier.",
    "A notice holds no message, so it cannot be redriven: it is left out, and the report says so.",
    "Each event is tried for at least a minute after the redrive, however old it is. If its queue has refused everything for five minutes until then, it gets one try.",
    "What fails again stays in the list and keeps its time. If Paycast's own code still fails on it (`processing-failed`), later callbacks of its order wait for ten minutes.",
  ],
  input: withRule(input, choiceFault),
  words: ["ids"],
  requires: "(ID... | --reason R | --all)",
  plan: async (target, asked, work): Promise<Planned> => {
    const { found, isMore } = await chooseItems(target, asked, work);
    const orderNo = wholeOrderOf(asked);
    const { merchant: merchantId } = asked;
    const ofOrder =
      orderNo === undefined ? [] : await findWholeOrder(target, { merchantId, orderNo });
    // Of a whole order nothing is left out: a record that nobody can deliver may still have a fact that the order lacks.
    const gone = orderNo === undefined ? found.filter(isForGone) : [];
    // What waits is tried anyway. It is only sent if somebody asks for it.
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
        await actual.audit("attention-redrive", auditOf(asked, all));
        return await sendAndFollow(actual, all, asked.wait * 1000, acting);
      },
    };
  },
});

/**
 * It was given up, and only subscribers that are not configured any more miss it: a redrive would fail again. What waits
 * or was never tried is sent nevertheless: it cannot be dismissed before it was given up.
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
    `Left out: ${counted(length, "notice")}. A notice cannot be redriven, because it holds no message. When the matter is settled, dismiss it.`,
  ];
}

function finishedText({ length }: readonly FoundItem[]): readonly string[] {
  if (length === 0) return [];
  return [
    `${length} of them need nobody: they give the order and its payments back what a restored table lacks.`,
  ];
}

function leftOut(gone: readonly FoundItem[], waiting: number): readonly string[] {
  const [name] = gone.flatMap(({ item }) => item.gone);
  const events = counted(gone.length, "event");
  return [
    ...(name === undefined
      ? []
      : [
          `Left out: ${events} for subscribers that are no longer configured, such as ${name}. Dismiss them.`,
        ]),
    ...(waiting > 0
      ? [
          `Left out: ${waiting} that wait: Paycast tries them by itself. To send them: --kind waiting.`,
        ]
      : []),
  ];
}

async function sendAndFollow(
  target: Target,
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
  target: Target,
  chosen: readonly FoundItem[],
  sending: Sending,
  { stopped, tell }: Work,
): Promise<void> {
  const { sent } = sending;
  const run = randomUUID();
  const inbox = openQueue(target, target.inbox.url);
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

/** Also if everybody has the event by now: then process-callback removes the attention that was left behind. */
function isOpen(record: CallbackRecord): boolean {
  if (record.outcome === "known-fact") return false;
  if (record.attention !== undefined) return true;
  return record.outcome === "published" && record.pending.length > 0;
}

/** Of two that came in the same millisecond, the one that was processed first is the older one. */
function byReceipt(left: AttentionItem, right: AttentionItem): number {
  const order = left.receivedAt.localeCompare(right.receivedAt);
  return order === 0 ? left.since.localeCompare(right.since) : order;
}
