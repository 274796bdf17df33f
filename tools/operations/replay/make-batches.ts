import { loadEvent, type RecordKey, type StoredEvent } from "../records/read-records.ts";
import type { Target, TargetSubscriber } from "../target/target.ts";
import { isWanted } from "./plan-replay.ts";
import type { RunCounts } from "./run.ts";

/** What becomes of one event of the list: it is sent, or skipped for a reason. */
export type Step = StoredEvent | Exclude<keyof RunCounts, "sent">;

/** Events that are sent together. */
export interface Batch {
  readonly events: readonly StoredEvent[];
  /** How many events of the list are dealt with when they are sent. */
  readonly steps: number;
  /** What then happened to all events of the run. */
  readonly counts: RunCounts;
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
  before: RunCounts,
  limits: BatchLimits,
): AsyncGenerator<Batch, void> {
  let batch: Batch = { events: [], steps: 0, counts: before };
  for await (const step of steps) {
    if (!fits(batch, step, limits)) {
      yield batch;
      batch = { events: [], steps: 0, counts: batch.counts };
    }
    batch = withStep(batch, step);
  }
  if (batch.steps > 0) yield batch;
}

function fits({ events, steps }: Batch, step: Step, limits: BatchLimits): boolean {
  if (typeof step === "string") return steps < mostSteps;
  if (events.length === 0) return true;
  const isRepeat = limits.ordered && events.some(({ group }) => group === step.group);
  const bytes = [...events, step].reduce((sum, { event }) => sum + event.length, 0);
  return events.length < limits.events && !isRepeat && bytes <= mostBytes;
}

function withStep({ events, steps, counts }: Batch, step: Step): Batch {
  const name = typeof step === "string" ? step : "sent";
  return {
    events: typeof step === "string" ? events : [...events, step],
    steps: steps + 1,
    counts: { ...counts, [name]: counts[name] + 1 },
  };
}

const readAtOnce = 50;

/** Reads the records in the order of the list, the next ones while the caller sends the ones before. */
export async function* readSteps(
  target: Target,
  subscriber: TargetSubscriber,
  list: AsyncIterable<RecordKey>,
): AsyncGenerator<Step, void> {
  let ahead: Promise<Step[]> = Promise.resolve([]);
  for await (const some of chunksOf(list, readAtOnce)) {
    const reads = Promise.all(some.map((key) => readStep(target, subscriber, key)));
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
  key: RecordKey,
): Promise<Step> {
  const event = await loadEvent(target, key);
  if (event === undefined) return "gone";
  if (event.pending.includes(subscriber.name)) return "pending";
  return isWanted(subscriber, event) ? event : "unwanted";
}
