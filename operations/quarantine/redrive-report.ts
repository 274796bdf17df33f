import { counted } from "../../shared/counted.ts";
import type { Report } from "../described/description.ts";
import type { RedriveEnd, RedrivenItem } from "./follow-redriven.ts";
import { nameOf } from "./item-words.ts";

/** A person reads the table of what is left, so its first rows are enough. */
const mostShown = 50;

/** What came of a redrive; without a wait nobody knows it yet. */
export function reportRedriven(
  items: readonly RedrivenItem[],
  settled: number,
  isWaited: boolean,
  stopped: boolean,
): Report {
  const left = isWaited ? items.filter(({ outcome: { kind } }) => kind !== "done") : [];
  const rows = left
    .slice(0, mostShown)
    .map(({ item, outcome: end }) => [item.id, nameOf(item), outcomeText(end)]);
  const ends = isWaited && items.length > 0 ? `: ${countEnds(items)}` : "";
  return {
    lines: [
      `${counted(items.length, "message")} sent to the inbox${ends}.`,
      ...(settled > 0 ? [`Settled since the preview, and not sent: ${settled}.`] : []),
      ...(stopped ? ["Stopped. Do the same again to go on."] : []),
    ],
    ...(rows.length > 0 && { table: { head: ["id", "about", "outcome"], rows } }),
    below: left.length > mostShown ? [`And ${left.length - mostShown} more.`] : [],
    data: { sent: items.length, settled, stopped, items },
    isGood: !stopped && left.length === 0,
  };
}

const endWords: Readonly<Record<RedriveEnd["kind"], string>> = {
  done: "done",
  "quarantined-again": "still not understood",
  missed: "still missing at a subscriber",
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
  return end.kind === "missed" ? `still missing at ${end.subscribers.join(", ")}` : words;
}
