import { setTimeout as pause } from "node:timers/promises";
import type { CallbackRecord } from "../../shared/records/callback-record.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../target/target.ts";
import { loadRecord } from "./find-record.ts";
import type { QuarantinedItem } from "./quarantined-item.ts";
import type { SentItem } from "./redrive-quarantine.ts";

const askEveryMilliseconds = 500;

/**
 * How a redriven item ended.
 * - `undelivered`: the event is made, but the subscribers in `pending` do not have it yet.
 * - `waiting`: nothing has happened yet.
 * - `not-followed`: Paycast did not write it, so it has no record to look at.
 */
export type Outcome =
  | { readonly kind: "published" | "known-fact" | "waiting" | "not-followed" }
  | { readonly kind: "quarantined-again"; readonly reason: string; readonly detail: string }
  | { readonly kind: "undelivered"; readonly pending: readonly string[] };

export interface RedrivenItem {
  readonly item: QuarantinedItem;
  readonly outcome: Outcome;
}

export interface FollowOptions {
  readonly waitMilliseconds: number;
  readonly stopped?: AbortSignal | undefined;
  readonly onProgress?: ((ended: number) => void) | undefined;
  readonly now?: () => number;
}

/** Waits until every item has an end, at most for the given time. */
export async function followRedriven(
  target: Target,
  sent: readonly SentItem[],
  { waitMilliseconds, stopped, onProgress, now = Date.now }: FollowOptions,
): Promise<readonly RedrivenItem[]> {
  const endsAt = now() + waitMilliseconds;
  const outcomes = new Map<SentItem, Outcome>();
  while (true) {
    const open = sent.filter((one) => !isEnd(outcomes.get(one)));
    const read = await fewAtOnce(open, (one) => outcomeOf(target, one));
    for (const [index, one] of open.entries()) {
      outcomes.set(one, read[index] ?? { kind: "waiting" });
    }
    const isDone = sent.every((one) => isEnd(outcomes.get(one)));
    if (isDone || stopped?.aborted === true || now() >= endsAt) break;
    onProgress?.(sent.filter((one) => isEnd(outcomes.get(one))).length);
    await pause(askEveryMilliseconds);
  }
  return sent.map((one) => ({
    item: one.item,
    outcome: outcomes.get(one) ?? { kind: "waiting" },
  }));
}

function isEnd(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && outcome.kind !== "waiting" && outcome.kind !== "undelivered";
}

async function outcomeOf(target: Target, sent: SentItem): Promise<Outcome> {
  if (sent.key === undefined) return { kind: "not-followed" };
  return readOutcome(await loadRecord(target, sent.key), sent);
}

/** A record that is quarantined again has a new time. */
function readOutcome(record: CallbackRecord | undefined, { recordedAt }: SentItem): Outcome {
  switch (record?.outcome) {
    case undefined:
      return { kind: "waiting" };
    case "known-fact":
      return { kind: "known-fact" };
    case "published":
      return record.pending.length === 0
        ? { kind: "published" }
        : { kind: "undelivered", pending: record.pending };
    case "quarantined":
      return record.recordedAt === recordedAt
        ? { kind: "waiting" }
        : { kind: "quarantined-again", reason: record.reason, detail: record.detail };
  }
}
