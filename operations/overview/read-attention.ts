import {
  type AttentionKind,
  attentionKinds,
  attentionPartition,
  attentionShards,
  byAttentionIndex,
} from "../../shared/records/attention.ts";
import { queryPage } from "../../shared/table/query-index.ts";
import { foundItem, type QuarantinedItem } from "../quarantine/item.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";
import type { Refusing } from "./refusing.ts";

/** How much needs a person, or waits, and for whom. */
export interface AttentionSummary extends Readonly<Record<AttentionKind, number>> {
  /** There is more than was counted. */
  readonly isMore: boolean;
  readonly subscribers: Readonly<Record<string, Refusing>>;
}

/** About 1,000 of each kind. A summary is read often, and what it reads costs. */
const mostPerShard = 125;

/** The oldest of each kind, by one query for each shard and kind. */
export async function readAttention(target: Target): Promise<AttentionSummary> {
  const partitions = attentionKinds.flatMap((kind) =>
    Array.from({ length: attentionShards }, (_, shard) => attentionPartition(kind, shard)),
  );
  const pages = await Promise.all(partitions.map((one) => readOldest(target, one)));
  const items = pages.flat();
  const count = (kind: AttentionKind) => items.filter((item) => item.kind === kind).length;
  return {
    waiting: count("waiting"),
    undeliverable: count("undeliverable"),
    quarantined: count("quarantined"),
    isMore: pages.some((page) => page.length >= mostPerShard),
    subscribers: refusingOf(items),
  };
}

async function readOldest(target: Target, attentionShard: string) {
  const page = await queryPage(
    databaseOf(target),
    { table: target.tables.callbacks, index: byAttentionIndex, partition: { attentionShard } },
    mostPerShard,
  );
  return page.flatMap((row) => foundItem(target, row)?.item ?? []);
}

function refusingOf(items: readonly QuarantinedItem[]): Readonly<Record<string, Refusing>> {
  const refusing: Record<string, Refusing> = {};
  for (const { kind, since, subscribers } of items) {
    for (const [name, errorName] of Object.entries(subscribers)) {
      const before = refusing[name] ?? { since, errorName, waiting: 0, givenUp: 0 };
      const isOlder = since < before.since;
      refusing[name] = {
        since: isOlder ? since : before.since,
        errorName: isOlder ? errorName : before.errorName,
        waiting: before.waiting + (kind === "waiting" ? 1 : 0),
        givenUp: before.givenUp + (kind === "undeliverable" ? 1 : 0),
      };
    }
  }
  return refusing;
}
