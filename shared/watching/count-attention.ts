import * as z from "zod/mini";
import {
  type AttentionPart,
  attentionFields,
  attentionPartitions,
  attentionParts,
  attentionShards,
  byAttentionIndex,
} from "../attention/attention.ts";
import type { AttentionKind } from "../attention/attention-kinds.ts";
import type { Database } from "../table/database.ts";
import { queryPage } from "../table/query-index.ts";
import { failureFields } from "../telemetry/failure-fields.ts";
import type { WriteLine } from "../telemetry/log-line.ts";
import { toRfc3339 } from "../time/timestamp.ts";
import { longestWaitMilliseconds, newAttentionMilliseconds } from "../timing.ts";

/** An entry of the index. */
export interface AttentionEntry {
  /** Undefined if this version does not know the kind. It still needs attention. */
  readonly kind: AttentionKind | undefined;
  readonly since: string;
}

export interface CountAttention {
  /** The newest entries of a part of the index that began at `until` or before. */
  readonly read: (part: AttentionPart, until: string) => Promise<readonly AttentionEntry[]>;
  readonly now: () => number;
  readonly log: WriteLine;
}

/** These page the operator immediately, even at night. The others can wait for the morning. */
const wakingKinds: readonly (AttentionKind | undefined)[] = [
  "quarantined",
  "undeliverable",
  "shortened-number",
];

/**
 * Counts the items that need attention and writes metrics, including zeros. `NeedAttention` counts all of them; a
 * waiting record counts after fifteen minutes, because until then it may be delivered by itself. `NewAttention` counts
 * recent items that page the operator. It covers more than a minute, so that a missed run hides nothing.
 */
export async function countAttention({ read, now, log }: CountAttention): Promise<void> {
  const ago = (milliseconds: number) => toRfc3339(now() - milliseconds);
  const graceOf = (part: AttentionPart) => (part === "waiting" ? longestWaitMilliseconds : 0);
  try {
    const parts = await Promise.all(
      attentionParts.map(async (part) => await read(part, ago(graceOf(part)))),
    );
    const entries = parts.flat();
    const newSince = ago(newAttentionMilliseconds);
    const isNew = ({ kind, since }: AttentionEntry) =>
      wakingKinds.includes(kind) && since >= newSince;
    log(
      { outcome: "counted" },
      { NeedAttention: entries.length, NewAttention: entries.filter(isNew).length },
    );
  } catch (error) {
    // Without a count the alarm keeps its state. Another alarm goes off if the counts stay away.
    log({ outcome: "failed", ...failureFields(error) });
  }
}

/** A limit, because the index is read every minute. Enough to see how much there is. */
const mostPerPart = 1_000;

const entrySchema = z.object({
  attention: attentionFields.attention,
  attentionSince: z.string(),
});

/** The entries of a part of the index that began at `until` or before: about the newest 1,000. */
export async function readPart(
  database: Database,
  table: string,
  part: AttentionPart,
  until: string,
): Promise<readonly AttentionEntry[]> {
  const pages = await Promise.all(
    attentionPartitions(part).map((attentionShard) =>
      queryPage(
        database,
        {
          table,
          index: byAttentionIndex,
          partition: { attentionShard },
          range: { name: "attentionSince", from: "0", until },
          newestFirst: true,
        },
        mostPerPart / attentionShards,
      ),
    ),
  );
  return pages.flat().map((item) => {
    const { attention, attentionSince: since } = entrySchema.parse(item);
    return { kind: attention?.kind, since };
  });
}
