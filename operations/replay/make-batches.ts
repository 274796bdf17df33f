import type { Step } from "./read-events.ts";
import type { RunCounts } from "./run.ts";
import type { StoredEvent } from "./stored-event.ts";

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

/** After so many events that are skipped the run is saved, and can be stopped. */
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
