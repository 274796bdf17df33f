import { setTimeout as wait } from "node:timers/promises";
import { counted, durationText, numberText } from "../../../shared/number-text.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { failedAfter } from "../described/describe.ts";
import type { Report, Work } from "../described/description.ts";
import { findSubscriber, type Target, type TargetSubscriber } from "../target/target.ts";
import { makeBatches, readSteps } from "./make-batches.ts";
import { isFinished, loadRun, type Run, readList, runsOf, saveRun } from "./run.ts";
import { withRunLock } from "./run-lock.ts";
import {
  createBatchSender,
  createPacer,
  type Pause,
  type SendBatch,
  sendPatiently,
} from "./send-batch.ts";

export interface SendRun {
  readonly stopped: AbortSignal;
  readonly onProgress: (run: Run) => void;
  /** Instead of the rate that the run was started with. */
  readonly eventsPerSecond?: number;
  /** For tests; by default the subscriber's queue and the clock. */
  readonly sendBatch?: SendBatch;
  readonly pause?: Pause;
}

/** `stopped`: the operator ended it. `failed`: AWS did. Both can go on later from where `run` is. */
export type SentRun =
  | { readonly kind: "finished" | "stopped"; readonly run: Run }
  | { readonly kind: "failed"; readonly run: Run; readonly error: unknown };

const mostBatch = 10;

/**
 * Sends the events of a run after its position, in order and at a constant rate, and saves the position after each batch.
 * After a crash at most one batch is sent again. Throws before anything is sent if the audit line cannot be written, if
 * the run belongs to another stack, or if another process sends it.
 */
export async function sendRun(target: Target, id: string, deps: SendRun): Promise<SentRun> {
  const directory = runsOf(target);
  return await withRunLock(directory, id, async () => {
    const known = await loadRun(directory, id);
    if (isFinished(known)) return { kind: "finished", run: known };
    const run = { ...known, eventsPerSecond: deps.eventsPerSecond ?? known.eventsPerSecond };
    const subscriber = subscriberOf(target, run);
    await target.audit("replay", auditOf(run));
    return await sendRest(target, subscriber, run, deps);
  });
}

/** Throws `replay-not-resumable` if the run was started on another stack: the queue's address has account and region. */
export function subscriberOf(
  target: Target,
  { subscriber: name, queueUrl }: Run,
): TargetSubscriber {
  const subscriber = findSubscriber(target, name);
  if (subscriber.queueUrl === queueUrl) return subscriber;
  throw new PaycastError(
    "replay-not-resumable",
    "The run was started on another stack, account or region, or the subscriber has a new queue. Check --stack, AWS_PROFILE and AWS_REGION, or start a new run.",
  );
}

function auditOf({ run, subscriber, events, position, selection }: Run) {
  const { types, events: ids = [], orderNo, paymentId, merchantId, since, until } = selection;
  const given = Object.entries({ orderNo, paymentId, merchantId, since }).flatMap(
    ([name, value]) => (value === undefined ? [] : [[name, value] as const]),
  );
  const counts = { events, from: position };
  return { run, subscriber, ...counts, until, types, ids, ...Object.fromEntries(given) };
}

async function sendRest(
  target: Target,
  subscriber: TargetSubscriber,
  start: Run,
  deps: SendRun,
): Promise<SentRun> {
  const directory = runsOf(target);
  const { stopped, onProgress, pause = createPause(stopped) } = deps;
  const { sendBatch = createBatchSender(target.clients.sqs, subscriber, start.run) } = deps;
  const pace = createPacer(start.eventsPerSecond, pause);
  let run = start;
  try {
    for await (const batch of batchesOf(target, subscriber, start)) {
      stopped.throwIfAborted();
      await pace(batch.events.length);
      await sendPatiently(sendBatch, batch.events, pause);
      run = { ...run, position: run.position + batch.steps, counts: batch.counts };
      await saveRun(directory, run);
      onProgress(run);
    }
  } catch (error) {
    return stopped.aborted ? { kind: "stopped", run } : { kind: "failed", run, error };
  }
  return { kind: "finished", run };
}

function batchesOf(target: Target, subscriber: TargetSubscriber, run: Run) {
  const steps = readSteps(target, subscriber, readList(runsOf(target), run));
  // A low rate has small batches, so that it stays even.
  const events = Math.max(1, Math.min(mostBatch, Math.floor(run.eventsPerSecond)));
  return makeBatches(steps, run.counts, { events, ordered: subscriber.ordered });
}

function createPause(signal: AbortSignal): Pause {
  return async (milliseconds) => {
    await wait(milliseconds, undefined, { signal });
  };
}

/** The run's file says everything. */
export function finishedReport(run: Run): Report {
  return {
    lines: [...doneLines(run), "The run is finished."],
    data: { ...run, done: true, outcome: "finished" },
    isGood: true,
  };
}

/** Sends the rest of a run, and says how it ended. */
export async function sendAndTell(
  target: Target,
  run: Run,
  { stopped, tell, note }: Work,
): Promise<Report> {
  const goOn = `To go on: ${goOnText(run)}`;
  note?.(
    `Run ${run.run}, at most ${run.eventsPerSecond} events a second. If it is interrupted: ${goOnText(run)}`,
  );
  const sent = await sendRun(target, run.run, {
    stopped,
    onProgress: (at) => tell(progressText(at)),
    eventsPerSecond: run.eventsPerSecond,
  });
  const lines = doneLines(sent.run);
  if (sent.kind === "failed") throw failedAfter(lines.join(" "), sent.error, goOn);
  const isOver = sent.kind === "finished";
  return {
    lines: isOver ? lines : [...lines, `Stopped. ${goOn}`],
    data: { ...sent.run, done: isOver, outcome: sent.kind },
    isGood: isOver && sent.run.counts.sent > 0,
  };
}

function progressText({ position, events, eventsPerSecond }: Run): string {
  const left = durationText((events - position) / eventsPerSecond);
  return `Sending: ${numberText(position)} of ${numberText(events)}, ${left} left`;
}

function goOnText({ run }: Run): string {
  return `npx paycast replay --resume ${run} --yes`;
}

/** What was done so far. */
export function doneLines({ run, subscriber, events, counts }: Run): readonly string[] {
  const skipped = [
    [counts.pending, "their first delivery is still on its way"],
    [counts.gone, "the record expired or was deleted"],
    [counts.unwanted, `${subscriber} no longer wants them`],
  ] as const;
  return [
    `Run ${run}: ${numberText(counts.sent)} of ${counted(events, "event")} sent to ${subscriber}.`,
    ...skipped.flatMap(([count, why]) =>
      count === 0 ? [] : [`${numberText(count)} skipped: ${why}.`],
    ),
  ];
}
