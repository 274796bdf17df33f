import { setTimeout as wait } from "node:timers/promises";
import { failedAfter } from "../described/describe.ts";
import type { Report, Work } from "../described/description.ts";
import type { StackSubscriber } from "../ports/queues.ts";
import type { Target } from "../ports/target.ts";
import { type EventEntry, loadEvent, type StoredEvent } from "../records/read-records.ts";
import { portionsInOrder } from "./events-in-order.ts";
import type { ReplayPlan } from "./plan-replay.ts";
import { doneLines, newRun, progressText, type Run, reportOf, type Skip } from "./run.ts";
import { auditOf, commandOf } from "./selection.ts";
import {
  batchesOf,
  createBatchSender,
  createPacer,
  type Pause,
  type SendBatch,
  sendPatiently,
} from "./send-batch.ts";

export interface SendReplay extends Work {
  readonly eventsPerSecond: number;
  /** For tests; by default the subscriber's queue and the clock. */
  readonly createSender?: (run: string) => SendBatch;
  readonly pause?: Pause;
}

/**
 * Sends the events of a plan, in order and at a constant rate. After an error or Ctrl-C it names the command that
 * continues with the first event that was not sent. Throws before anything is sent if the audit line cannot be written.
 */
export async function sendReplay(
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "queues" | "audit">,
  plan: ReplayPlan,
  deps: SendReplay,
): Promise<Report> {
  const { subscriber, selection, events } = plan;
  const run = newRun(plan, target.clock.now());
  const about = { run: run.id, subscriber: subscriber.name, events };
  await target.audit.write("replay", { ...about, ...auditOf(selection) });
  try {
    await sendPortions(target, run, deps);
  } catch (error) {
    const rest = { ...selection, since: continueAt(run) };
    const command = commandOf(target.stack, subscriber.name, rest, deps.eventsPerSecond);
    if (deps.stopped.aborted) return reportOf(run, command);
    throw failedAfter(doneLines(run).join(" "), error, `To continue: ${command}`);
  }
  return reportOf(run);
}

const readAtOnce = 50;

async function sendPortions(
  target: Pick<Target, "stack" | "orders" | "records" | "queues">,
  run: Run,
  deps: SendReplay,
): Promise<void> {
  const send = createSend(target, run, deps);
  for await (const { entries, held } of portionsInOrder(target, run.plan, deps)) {
    for (let from = 0; from < entries.length; from += readAtOnce) {
      const some = entries.slice(from, from + readAtOnce);
      const later = () => [...entries.slice(from + readAtOnce), ...held];
      run.unsent = () => [...some, ...later()];
      await send(await readEvents(target, some, run), later);
      run.recordedAt = some.at(-1)?.recordedAt;
    }
    run.unsent = () => held;
  }
}

/** The events to send, in the order of their entries. Counts those that are skipped. */
async function readEvents(
  target: Pick<Target, "records">,
  entries: readonly EventEntry[],
  { plan: { subscriber }, counts }: Run,
): Promise<readonly StoredEvent[]> {
  const steps = await Promise.all(
    entries.map(async (entry) => stepOf(await loadEvent(target, entry), subscriber)),
  );
  for (const step of steps) if (typeof step === "string") counts[step] += 1;
  return steps.filter((step) => typeof step !== "string");
}

function stepOf(event: StoredEvent | undefined, subscriber: StackSubscriber): StoredEvent | Skip {
  if (event === undefined) return "gone";
  return event.pending.includes(subscriber.name) ? "pending" : event;
}

/** Sends some events in batches. `later` are the events behind them. */
function createSend({ queues }: Pick<Target, "queues">, run: Run, deps: SendReplay) {
  const { subscriber } = run.plan;
  const { stopped, tell, eventsPerSecond, pause = createPause(stopped) } = deps;
  const sendBatch =
    deps.createSender?.(run.id) ??
    createBatchSender(queues.open(subscriber.queueUrl), subscriber, run.id);
  const pace = createPacer(eventsPerSecond, pause);
  return async (events: readonly StoredEvent[], later: () => readonly EventEntry[]) => {
    const batches = batchesOf(events, subscriber.ordered, eventsPerSecond);
    for (const [index, batch] of batches.entries()) {
      run.unsent = () => [...batches.slice(index).flat(), ...later()];
      stopped.throwIfAborted();
      await pace(batch.length);
      await sendPatiently(sendBatch, batch, pause);
      run.counts.sent += batch.length;
      run.recordedAt = batch.at(-1)?.recordedAt;
      tell(progressText(run, eventsPerSecond));
    }
  };
}

function createPause(signal: AbortSignal): Pause {
  return async (milliseconds) => {
    await wait(milliseconds, undefined, { signal });
  };
}

/**
 * The time from which nothing was missed. An event that was sent and recorded at this time or later is sent again:
 * consumers recognise it by its id.
 */
function continueAt({ unsent, recordedAt, plan: { selection } }: Run): string | undefined {
  const times = unsent().map((entry) => entry.recordedAt);
  if (times.length === 0) return recordedAt ?? selection.since;
  return times.reduce((earliest, time) => (time < earliest ? time : earliest));
}
