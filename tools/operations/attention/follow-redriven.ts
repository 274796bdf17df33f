import { setTimeout as pause } from "node:timers/promises";
import { type CallbackRecord, firstReceipt } from "../../../shared/records/callback-record.ts";
import { counted } from "../../../shared/text/number-text.ts";
import type { Report, Work } from "../described/description.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { growingPauses } from "../growing-pauses.ts";
import type { Target } from "../ports/target.ts";
import { loadRecord } from "../records/read-records.ts";
import { dismissOne } from "./dismiss.ts";
import { hasFact } from "./finished-records.ts";
import type { AttentionItem, FoundItem } from "./item.ts";
import { nameOf } from "./item-words.ts";

const longestPauseMilliseconds = 500;

/** An item that was sent to the inbox. */
export interface SentItem extends FoundItem {
  /** When it was last tried before; "" if it was understood. */
  readonly triedAt: string;
  /** The same of the first record under its callback id. */
  readonly firstTriedAt: string;
}

type RedriveEnd =
  | { readonly kind: "done" | "open" }
  | { readonly kind: "quarantined-again"; readonly reason: string; readonly detail: string }
  | { readonly kind: "missed"; readonly subscribers: readonly string[] };

export interface RedrivenItem {
  readonly item: AttentionItem;
  readonly outcome: RedriveEnd;
}

/** Waits until every item has an end, at most for the given time. */
export async function followRedriven(
  target: Pick<Target, "clock" | "orders" | "records" | "audit">,
  sent: readonly SentItem[],
  waitMilliseconds: number,
  { stopped, tell }: Work,
): Promise<readonly RedrivenItem[]> {
  const endsAt = Date.now() + waitMilliseconds;
  const outcomes = new Map<SentItem, RedriveEnd>();
  const pauses = growingPauses(longestPauseMilliseconds);
  while (true) {
    const open = sent.filter((sentItem) => !isEnd(outcomes.get(sentItem)));
    await fewAtOnce(open, async (sentItem) =>
      outcomes.set(sentItem, await outcomeOf(target, sentItem)),
    );
    const ended = sent.filter((sentItem) => isEnd(outcomes.get(sentItem))).length;
    if (ended === sent.length || stopped.aborted || Date.now() >= endsAt) break;
    tell(`Processed: ${ended} of ${sent.length}`);
    await pause(pauses.next().value);
  }
  return sent.map((sentItem) => ({
    item: sentItem.item,
    outcome: outcomes.get(sentItem) ?? { kind: "open" },
  }));
}

function isEnd(outcome: RedriveEnd | undefined): boolean {
  return outcome?.kind === "done" || outcome?.kind === "quarantined-again";
}

async function outcomeOf(
  target: Pick<Target, "clock" | "orders" | "records" | "audit">,
  sent: SentItem,
): Promise<RedriveEnd> {
  const record = await loadRecord(target, sent.key);
  if (record !== undefined && sent.item.kind === "finished") {
    return { kind: (await hasFact(target, record)) ? "done" : "open" };
  }
  if (record?.outcome !== "quarantined") return endOf(record);
  if (record.triedAt !== sent.triedAt) return endOf(record);
  // Another operator has dismissed it.
  if (record.attention === undefined) return { kind: "done" };
  return await outcomeInFirst(target, sent, record);
}

function endOf(record: CallbackRecord | undefined): RedriveEnd {
  switch (record?.outcome) {
    case undefined:
    case "known-fact":
      return { kind: "done" };
    case "published":
      return record.pending.length === 0
        ? { kind: "done" }
        : { kind: "missed", subscribers: record.pending };
    case "quarantined":
      return { kind: "quarantined-again", reason: record.reason, detail: record.detail };
  }
}

/**
 * Different content under a known callback id is recorded beside the first. If the first record has expired, the
 * content took its place. Once it is done there, the record beside it needs no attention any more.
 */
async function outcomeInFirst(
  target: Pick<Target, "clock" | "records" | "audit">,
  sent: SentItem,
  { contentHash }: CallbackRecord,
): Promise<RedriveEnd> {
  const first = await loadFirst(target, sent);
  if (first?.contentHash !== contentHash) return { kind: "open" };
  if (first.outcome === "quarantined" && first.triedAt === sent.firstTriedAt) {
    return { kind: "open" };
  }
  const end = endOf(first);
  if (end.kind !== "done") return end;
  await target.audit.write("attention-dismiss", {
    selection: "ids",
    count: 1,
    ids: [sent.item.id],
  });
  return (await dismissOne(target, { ...sent, names: [] })) ? end : { kind: "open" };
}

/** The first record under the callback id of an item that is recorded beside it. */
export async function loadFirst(
  target: Pick<Target, "records">,
  { key }: Pick<FoundItem, "key">,
): Promise<CallbackRecord | undefined> {
  if (key.receipt === firstReceipt) return undefined;
  return await loadRecord(target, { ...key, receipt: firstReceipt });
}

/** When it was last tried; "" if it was understood. */
export function triedAtOf(record: CallbackRecord | undefined): string {
  return record?.outcome === "quarantined" ? record.triedAt : "";
}

/** The table is for reading, so the first unfinished items are enough. */
const mostShown = 50;

/** The outcome of a redrive; without a wait it is not known yet. */
export function reportRedriven(
  items: readonly RedrivenItem[],
  settled: number,
  isWaited: boolean,
  stopped: boolean,
): Report {
  const unfinished = isWaited ? items.filter(({ outcome: { kind } }) => kind !== "done") : [];
  const rows = unfinished
    .slice(0, mostShown)
    .map(({ item, outcome: end }) => [item.id, nameOf(item), outcomeText(end)]);
  const ends = isWaited && items.length > 0 ? `: ${countEnds(items)}` : "";
  return {
    lines: [
      `${counted(items.length, "message")} sent to the inbox${ends}.`,
      ...(settled > 0 ? [`Settled after the preview and not sent: ${settled}.`] : []),
      ...(stopped ? ["Stopped. Repeat the operation to continue."] : []),
    ],
    ...(rows.length > 0 && { table: { head: ["id", "about", "outcome"], rows } }),
    below: unfinished.length > mostShown ? [`And ${unfinished.length - mostShown} more.`] : [],
    data: { sent: items.length, settled, stopped, items },
    isGood: !stopped && unfinished.length === 0,
  };
}

const endWords: Readonly<Record<RedriveEnd["kind"], string>> = {
  done: "done",
  "quarantined-again": "still not understood",
  missed: "still not delivered to a subscriber",
  open: "not processed yet",
};

/** "2 done, 1 still not understood". */
function countEnds(items: readonly RedrivenItem[]): string {
  return Object.entries(endWords)
    .map(([kind, words]) => [items.filter(({ outcome: end }) => end.kind === kind).length, words])
    .filter(([count]) => count !== 0)
    .map(([count, words]) => `${count} ${words}`)
    .join(", ");
}

function outcomeText(end: RedriveEnd): string {
  const words = endWords[end.kind];
  if (end.kind === "quarantined-again") return `${words}: ${end.reason}: ${end.detail}`;
  return end.kind === "missed" ? `still not delivered to ${end.subscribers.join(", ")}` : words;
}
