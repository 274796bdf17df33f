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
import { errorFields, type WriteLine } from "../telemetry/log-line.ts";
import { toRfc3339 } from "../time/timestamp.ts";
import { longestWaitMilliseconds, newAttentionMilliseconds } from "../timing.ts";

/** An entry of the index. */
export interface AttentionEntry {
  /** Undefined if this version does not know it. It needs a person all the same. */
  readonly kind: AttentionKind | undefined;
  readonly since: string;
}

export interface CountAttention {
  /** What a part of the index holds since `until` or longer: the newest entries, as far as the index is read. */
  readonly read: (part: AttentionPart, until: string) => Promise<readonly AttentionEntry[]>;
  readonly now: () => number;
  readonly log: WriteLine;
}

/** A person should hear of these at once, also at night. The others can wait for the morning. */
const wakingKinds: readonly (AttentionKind | undefined)[] = [
  "quarantined",
  "undeliverable",
  "shortened-number",
];

/**
 * Counts what needs a person now and writes it as metrics, also if it is zero. `NeedAttention` is all of it. A record
 * that waits counts after a quarter of an hour: until then it may still be delivered without a person. `NewAttention` is
 * what began lately and should wake somebody. It looks back further than a minute, so that a missed run hides nothing.
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
    // Without a count the alarm keeps its state, and another alarm rings if the counts stay away.
    log({ outcome: "failed", ...errorFields(error) });
  }
}

/** Enough to tell much from little. The index is read each minute, so this has a bound. */
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
