import {
  type AttentionPart,
  attentionPartitions,
  byAttentionIndex,
} from "../../../shared/attention/attention.ts";
import { queryPage } from "../../../shared/table/query-index.ts";
import { type AttentionItem, foundItem } from "../attention/item.ts";
import type { Target } from "../ports/target.ts";
import type { Refusing } from "./refusing.ts";

/** How many items need attention or wait, and for whom. */
export interface AttentionSummary extends Readonly<Record<AttentionPart, number>> {
  /** There is more than was counted. */
  readonly isMore: boolean;
  /** When the newest item needed attention. */
  readonly last: string | undefined;
  readonly subscribers: Readonly<Record<string, Refusing>>;
}

/** About 1,000 of each part. A summary is read often, and what it reads costs. */
const mostPerShard = 125;

/** One query for each shard of each part of the index. `attention/find-items.ts` lists the items themselves. */
export async function readAttention(
  target: Pick<Target, "records" | "queues">,
): Promise<AttentionSummary> {
  const [waiting, undeliverable, quarantined, notice] = await Promise.all([
    readPart(target, "waiting"),
    readPart(target, "undeliverable"),
    readPart(target, "quarantined"),
    readPart(target, "notice"),
  ]);
  const isMore = [waiting, undeliverable, quarantined, notice].some((part) => part.isMore);
  const settledByPeople = [undeliverable, quarantined, notice].flatMap(({ items }) => items);
  return {
    waiting: waiting.items.length,
    undeliverable: undeliverable.items.length,
    quarantined: quarantined.items.length,
    notice: notice.items.length,
    isMore,
    last: settledByPeople
      .map(({ since }) => since)
      .sort()
      .at(-1),
    subscribers: refusingOf([...waiting.items, ...undeliverable.items], isMore),
  };
}

/** For waiting events the oldest shows since when a queue rejects events. For the others the newest matters. */
async function readPart(target: Pick<Target, "records" | "queues">, part: AttentionPart) {
  const table = target.records.table;
  const newestFirst = part !== "waiting";
  const pages = await Promise.all(
    attentionPartitions(part).map((attentionShard) =>
      queryPage(
        target.records.database,
        { table, index: byAttentionIndex, partition: { attentionShard }, newestFirst },
        mostPerShard,
      ),
    ),
  );
  return {
    items: pages.flat().map((row) => foundItem(target, row).item),
    isMore: pages.some((page) => page.length >= mostPerShard),
  };
}

function refusingOf(
  items: readonly AttentionItem[],
  isMore: boolean,
): Readonly<Record<string, Refusing>> {
  const names = new Set(items.flatMap(({ subscribers }) => Object.keys(subscribers)));
  return Object.fromEntries([...names].map((name) => [name, refusingOne(items, name, isMore)]));
}

function refusingOne(items: readonly AttentionItem[], name: string, isMore: boolean): Refusing {
  const missed = items
    .filter(({ subscribers }) => name in subscribers)
    .sort((left, right) => left.since.localeCompare(right.since));
  const waiting = missed.filter(({ kind }) => kind === "waiting");
  const givenUp = missed.filter(({ kind }) => kind === "undeliverable");
  return {
    waiting: waiting.length,
    givenUp: givenUp.length,
    since: waiting[0]?.since,
    // The newest ones are read, so of many the first is not known.
    givenUpSince: isMore ? undefined : givenUp[0]?.since,
    lastGivenUp: givenUp.at(-1)?.since,
    errorName: missed.at(-1)?.subscribers[name] ?? "",
  };
}
