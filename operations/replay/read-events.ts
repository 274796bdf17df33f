import { getItem } from "../../shared/table/items.ts";
import type { Target, TargetSubscriber } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";
import type { ListedEvent } from "./run-store.ts";
import { readStoredEvent, type StoredEvent } from "./stored-event.ts";
import { isWanted } from "./wanted.ts";

/** What becomes of one event of the list. */
export type Step =
  | { readonly kind: "send"; readonly event: StoredEvent }
  | { readonly kind: "pending" | "gone" | "unwanted" };

const readAtOnce = 50;

/** Reads the records in the order of the list, the next ones while the caller sends the ones before. */
export async function* readSteps(
  target: Target,
  subscriber: TargetSubscriber,
  list: AsyncIterable<ListedEvent>,
): AsyncGenerator<Step, void> {
  let ahead: Promise<Step[]> = Promise.resolve([]);
  for await (const some of chunksOf(list, readAtOnce)) {
    const reads = Promise.all(some.map(({ key }) => readStep(target, subscriber, key)));
    // If the caller ends before it asks for these, nobody else hears of the failure.
    reads.catch(() => {});
    yield* await ahead;
    ahead = reads;
  }
  yield* await ahead;
}

async function* chunksOf<T>(list: AsyncIterable<T>, size: number): AsyncGenerator<T[], void> {
  let chunk: T[] = [];
  for await (const one of list) {
    chunk.push(one);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

async function readStep(
  target: Target,
  subscriber: TargetSubscriber,
  key: ListedEvent["key"],
): Promise<Step> {
  const item = await getItem(databaseOf(target), target.tables.callbacks, key);
  const event = readStoredEvent(item);
  if (event === undefined) return { kind: "gone" };
  if (event.pending.includes(subscriber.name)) return { kind: "pending" };
  return isWanted(subscriber, event) ? { kind: "send", event } : { kind: "unwanted" };
}
