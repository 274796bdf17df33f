import type { Target } from "../ports/target.ts";
import type { Delivery, ReceiptEntry } from "./receipt-entry.ts";

/**
 * Adds to each delivery how many dead letters its subscriber has: the event may be among them. Only the queues' counts
 * are read. Receiving the messages would hide them from others for a while, so that happens only on request.
 */
export async function addDeadLetters(
  target: Pick<Target, "queues">,
  receipts: readonly ReceiptEntry[],
): Promise<readonly ReceiptEntry[]> {
  const counts = await countDeadLetters(target, new Set(receipts.flatMap(reachedBy)));
  return counts.size === 0 ? receipts : receipts.map((receipt) => withCounts(receipt, counts));
}

function reachedBy({ published }: ReceiptEntry): string[] {
  const { deliveries = [] } = published ?? {};
  return deliveries.filter(({ state }) => state === "sent").map(({ subscriber }) => subscriber);
}

type Counts = ReadonlyMap<string, number>;

/** A queue that cannot be read is omitted: `status` and `check` report it. */
async function countDeadLetters(
  target: Pick<Target, "queues">,
  names: ReadonlySet<string>,
): Promise<Counts> {
  const subscribers = target.queues.subscribers.filter(({ name }) => names.has(name));
  const counted = await Promise.all(
    subscribers.map(async ({ name, deadLettersUrl }) => {
      const count = await target.queues
        .open(deadLettersUrl)
        .count()
        .catch(() => ({ waiting: 0, inFlight: 0 }));
      return [name, count.waiting + count.inFlight] as const;
    }),
  );
  return new Map(counted.filter(([, count]) => count > 0));
}

function withCounts(entry: ReceiptEntry, counts: Counts): ReceiptEntry {
  if (entry.published === undefined) return entry;
  const deliveries = entry.published.deliveries.map((delivery) => withCount(delivery, counts));
  return { ...entry, published: { ...entry.published, deliveries } };
}

function withCount(delivery: Delivery, counts: Counts): Delivery {
  const deadLetters = counts.get(delivery.subscriber);
  if (delivery.state !== "sent" || deadLetters === undefined) return delivery;
  return { ...delivery, deadLetters };
}
