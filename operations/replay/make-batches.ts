import { loadEvent, type StoredEvent } from "../records/stored-event.ts";
import type { Target, TargetSubscriber } from "../target/target.ts";
import { isWanted } from "./plan-replay.ts";
import type { ListedEvent, RunCounts } from "./run.ts";

/** Events that are sent together, and how many events of the list are dealt with when they are. */
export interface Batch {
  readonly events: readonly StoredEvent[];
  readonly steps: number;
  readonly skipped: Omit<RunCounts, "sent">;
}

export interface BatchLimits {
  readonly events: number;
  /** On an ordered queue a batch has one event of a group: SQS may refuse any of them, and none may pass an earlier one. */
  readonly ordered: boolean;
}

/** SQS takes a mebibyte in one call, attributes included; this leaves room for them. */
const mostBytes = 900_000;

/** After this many skipped events the run is saved, and can be stopped. */
const mostSteps = 500;

export async function* makeBatches(
  steps: AsyncIterable<Step>,
  limits: BatchLimits,
): AsyncGenerator<Batch, void> {
  let batch = emptyBatch;
  for await (const step of steps) {
    if (!fits(batch, step, limits)) {
      yield batch;
      batch = emptyBatch;
    }
    batch = withStep(batch, step);
  }
  if (batch.steps > 0) yield batch;
}

const emptyBatch: Batch = {
  events: [],
  steps: 0,
  skipped: { pending: 0, gone: 0, unwanted: 0 },
};

function fits({ events, steps }: Batch, step: Step, limits: BatchLimits): boolean {
  if (steps === 0) return true;
  if (step.kind !== "send") return steps < mostSteps;
  if (events.length === 0) return true;
  const isRepeat = limits.ordered && events.some(({ group }) => group === step.event.group);
  const bytes = [...events, step.event].reduce((sum, { event }) => sum + event.length, 0);
  return events.length < limits.events && !isRepeat && bytes <= mostBytes;
}

function withStep({ events, steps, skipped }: Batch, step: Step): Batch {
  if (step.kind === "send") return { events: [...events, step.event], steps: steps + 1, skipped };
  const counted = { ...skipped, [step.kind]: skipped[step.kind] + 1 };
  return { events, steps: steps + 1, skipped: counted };
}

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
  const event = await loadEvent(target, key);
  if (event === undefined) return { kind: "gone" };
  if (event.pending.includes(subscriber.name)) return { kind: "pending" };
  return isWanted(subscriber, event) ? { kind: "send", event } : { kind: "unwanted" };
}
