import {
  type AttentionKind,
  attentionKinds,
  attentionPartitions,
  attentionShards,
  byAttentionIndex,
} from "../records/attention.ts";
import type { Database } from "../table/database.ts";
import { countItems } from "../table/query-index.ts";
import { errorFields, type WriteLine } from "../telemetry/log-line.ts";
import { toRfc3339 } from "../time/timestamp.ts";
import { longestWaitMilliseconds } from "../timing.ts";

export interface CountAttention {
  /** How many records have this kind of attention since `until` or longer, as far as the index is read. */
  readonly count: (kind: AttentionKind, until: string) => Promise<number>;
  readonly now: () => number;
  readonly log: WriteLine;
}

/**
 * Counts what needs a person now and writes it as a metric, so that an alarm can stay on as long as there is something.
 * A record that waits counts after a quarter of an hour: until then it may still be delivered without a person.
 */
export async function countAttention({ count, now, log }: CountAttention): Promise<void> {
  try {
    const counts = await Promise.all(
      attentionKinds.map(async (kind) => await count(kind, toRfc3339(now() - graceOf(kind)))),
    );
    const [WaitingNow = 0, UndeliverableNow = 0, QuarantinedNow = 0] = counts;
    const NeedAttention = WaitingNow + UndeliverableNow + QuarantinedNow;
    log({ outcome: "counted" }, { NeedAttention, WaitingNow, UndeliverableNow, QuarantinedNow });
  } catch (error) {
    // Without a count the alarm keeps its state, and another alarm rings if the counts stay away.
    log({ outcome: "failed", ...errorFields(error) });
  }
}

function graceOf(kind: AttentionKind): number {
  return kind === "waiting" ? longestWaitMilliseconds : 0;
}

/** Enough to tell much from little. A count is read each minute, so it has a bound. */
const mostPerKind = 1_000;

/** How many records have a kind of attention that began at `until` or before, counted up to about 1,000. */
export async function countInIndex(
  database: Database,
  table: string,
  kind: AttentionKind,
  until: string,
): Promise<number> {
  const counts = await Promise.all(
    attentionPartitions(kind).map((attentionShard) =>
      countItems(
        database,
        {
          table,
          index: byAttentionIndex,
          partition: { attentionShard },
          range: { name: "attentionSince", from: "0", until },
        },
        mostPerKind / attentionShards,
      ),
    ),
  );
  return counts.reduce((total, one) => total + one, 0);
}
