import * as z from "zod";
import { counted } from "../../../shared/number-text.ts";
import { describeChange, describeLook } from "../described/describe.ts";
import type { OperationGroup, Planned, Report, Work } from "../described/description.ts";
import { text, wholeNumber, withRule } from "../described/fields.ts";
import { findSubscriber, type Target } from "../target/target.ts";
import { planReplay } from "./plan-replay.ts";
import { previewOf } from "./preview.ts";
import { createRun, isFinished, listRuns, loadRun, newRun, type Run, runsOf } from "./run.ts";
import { isBeingSent } from "./run-lock.ts";
import {
  isSelecting,
  readSelection,
  type Selection,
  selectionFault,
  selectionFields,
} from "./selection.ts";
import { doneLines, finishedReport, sendAndTell, subscriberOf } from "./send-run.ts";

const usualRate = 50;
/** Batches are sent one after the other, so the time of a call limits the rate anyway. */
const mostRate = 500;

const to = text("who gets the events", "SUBSCRIBER");

const input = z.object({
  to,
  ...selectionFields,
  rate: wholeNumber("", usualRate, 1, mostRate)
    .unwrap()
    .optional()
    .meta({
      description: `at most so many events a second, 1 to ${mostRate}; ${usualRate} if not given, or the run's own`,
      placeholder: "N",
    }),
  resume: text("go on with a run that was interrupted", "RUN"),
});
type Asked = z.output<typeof input>;

export const send = describeChange({
  title: "Replay events",
  summary:
    'Sends recorded events to a subscriber\'s queue again: the stored bytes, in order within each order and payment, with the message attribute "replay". Everything that is given must match. Live events go on meanwhile and may overtake it.',
  promises: [
    "The bytes are the stored ones, so the `id` is that of the first delivery. A replay is a second delivery: a consumer that [is idempotent by `id`](subscribing.md#how-to-read-it-right) does nothing twice. Every message has the attribute `replay` with the run's id, for consumers that want to tell.",
    "On an ordered queue, the events of one `partitionkey` come in order of `sequence` within the run. An event that SQS refuses is tried again before any later one. If SQS goes on refusing for half a minute, the run stops and can be resumed.",
    "The subscriber gets what its filter wants now, not what it wanted when the event was recorded.",
    "A run ends at the latest with what was recorded when it was started: what comes later is live. It has at most 500,000 events; for more, replay one range after the other.",
    "At most `--rate` events a second, evenly. A slow network makes it less, and an order's own events are sent one in a call. A replay into a queue that a consumer reads slowly holds live events of the same orders up behind it: choose the rate accordingly.",
    "A run can be resumed after Ctrl-C, a crash or an outage: `npx paycast replay --resume RUN --yes`, in the same folder. The run knows its stack. After a crash at most one batch of ten is sent again. An ordered queue drops it for five minutes; after that, and on a queue that is not ordered, consumers recognise it by `id`.",
    "With `--all`, or a range of more than 31 days, the whole index by time is read, with and without `--yes`. Before it starts, the command says how many events that are, how many read units and how many US dollars: list prices of us-east-1, and DynamoDB's own numbers, which are up to six hours old.",
    "Two runs at once are two runs: each is complete, and each is in order. One run is sent by one process at a time.",
    "Live events may overtake a replay: a consumer may get sequence 5 live, then 3 and 4 again. It keeps the snapshot with the highest `sequence`.",
    "Records expire after `callbacks.recordExpiryDays`, and history ends there. A record that expires during the run is counted and left out.",
    'An event that is still *pending* for the subscriber is skipped and counted, because its first delivery is still to come: within seconds, or with a redrive from the [quarantine](#quarantine). Sent by the replay, it would arrive twice, and the first delivery would come after it. With `--order` or `--payment` the preview counts such events; for a range of time it says "at most", because only the sending reads each record.',
    "With `--order`, only payments that the order names are known: find another payment's refunds with `--payment`. The facts of a payment itself belong to its order. No index has the ids of events: with `--event` every record of the order, the payment or the range is read.",
    "Each start and each resume writes an audit line with the run, the subscriber, the selection and the number of events.",
    "`.paycast/replays/RUN.json` says how far a run is, `RUN.events` lists the keys of its events in the order of sending; both hold identifiers and no payload. Delete them when a run is no longer needed.",
    "The exit code is 0 if the run is finished and something was sent, 1 if nothing matches or the run was stopped.",
  ],
  input: withRule(input, usageFault),
  requires: "(--to SUBSCRIBER | --resume RUN)",
  // A plan may list 500,000 events, which is some 200 MB.
  mostPlans: 3,
  // A run knows its stack, whatever PAYCAST_STACK says, and a finished one needs none.
  known: async ({ resume }, directory) => {
    if (resume === undefined) return {};
    const run = await loadRun(runsOf({ directory }), resume).catch(() => undefined);
    if (run === undefined) return {};
    const { kind, name } = run.target;
    const stack = { name: kind === "deployed" ? name : undefined };
    return isFinished(run) ? { stack, report: finishedReport(run) } : { stack };
  },
  plan: async (target, { to: name = "", rate, resume, ...asked }, work): Promise<Planned> =>
    resume === undefined
      ? await planRun(target, name, readSelection(asked, Date.now()), rate, work)
      : await planRest(target, resume, rate),
});

/** A run that is resumed has its own subscriber and selection. */
function usageFault({ to: name, resume, rate: _rate, ...asked }: Asked): string | undefined {
  if (resume !== undefined) {
    return name !== undefined || isSelecting(asked) ? "must have --resume alone" : undefined;
  }
  return name === undefined
    ? "must say who gets the events: --to SUBSCRIBER"
    : selectionFault(asked);
}

async function planRun(
  target: Target,
  name: string,
  selection: Selection,
  eventsPerSecond = usualRate,
  work: Work,
): Promise<Planned> {
  const plan = await planReplay(target, name, selection, work);
  const { entries } = plan;
  return {
    report: previewOf(plan, eventsPerSecond),
    yes: entries.length === 0 ? undefined : `Send ${counted(entries.length, "event")} to ${name}`,
    act: async (actual, acting) => {
      const run = newRun(actual, plan, eventsPerSecond);
      await createRun(runsOf(actual), run, entries);
      return await sendAndTell(actual, run, acting);
    },
  };
}

async function planRest(target: Target, id: string, rate: number | undefined): Promise<Planned> {
  const known = await loadRun(runsOf(target), id);
  const run = { ...known, eventsPerSecond: rate ?? known.eventsPerSecond };
  const isOver = isFinished(run);
  if (!isOver) subscriberOf(target, run);
  const left = counted(run.events - run.position, "event");
  const next = `${left} left. They would be sent now, at most ${run.eventsPerSecond} a second.`;
  const lines = [...doneLines(run), next];
  const data = { ...run, done: false, outcome: "unfinished" };
  return {
    report: isOver ? finishedReport(run) : { lines, data, isGood: true },
    yes: isOver ? undefined : `Send ${left} to ${run.subscriber}`,
    act: (actual, acting) => sendAndTell(actual, run, acting),
  };
}

export interface ListedRun extends Run {
  readonly state: "finished" | "running" | "interrupted";
}

export interface RunList {
  /** Newest first. */
  readonly runs: readonly ListedRun[];
}

const list = describeLook({
  verb: "list",
  summary:
    "The runs that were started in this folder, newest first. An interrupted one can be resumed.",
  input: z.object({ to }),
  // The runs of all stacks are files of this folder.
  known: async ({ to: name }, directory) => {
    const isWanted = ({ subscriber }: Run) => name === undefined || subscriber === name;
    return { report: await reportRuns(runsOf({ directory }), isWanted) };
  },
  look: async (target, { to: name }): Promise<Report<RunList>> => {
    const queueUrl = name && findSubscriber(target, name).queueUrl;
    const isWanted = (run: Run) => queueUrl === undefined || run.queueUrl === queueUrl;
    return await reportRuns(runsOf(target), isWanted);
  },
});

async function reportRuns(
  directory: string,
  isWanted: (run: Run) => boolean,
): Promise<Report<RunList>> {
  const wanted = (await listRuns(directory)).filter(isWanted);
  const runs = await Promise.all(wanted.map((run) => toListed(directory, run)));
  const rows = runs.map(({ run, target: { name: stack }, subscriber, position, events, state }) => [
    run,
    stack,
    subscriber,
    `${position} of ${events}`,
    state,
  ]);
  return {
    lines: runs.length === 0 ? ["No replay was started in this folder."] : [],
    ...(rows.length > 0 && {
      table: { head: ["run", "stack", "subscriber", "done", "state"], rows },
    }),
    data: { runs },
    isGood: true,
  };
}

async function toListed(directory: string, run: Run): Promise<ListedRun> {
  if (isFinished(run)) return { ...run, state: "finished" };
  const isRunning = await isBeingSent(directory, run.run);
  return { ...run, state: isRunning ? "running" : "interrupted" };
}

export const replay: OperationGroup = {
  name: "replay",
  about: ["After a consumer lost or misread events, or to fill a new subscriber from history."],
  operations: [send, list],
  examples: [
    "replay --to fulfilment --order ORDER-1001",
    "replay --to fulfilment --since 3h --type payment.order.success --yes",
    "replay --to new-team --all --rate 200 --stack Paycast --yes",
    "replay --resume 20261115-101026-3f9a2c --yes",
    "replay list",
  ],
};
