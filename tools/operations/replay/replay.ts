import { counted, durationText, numberText } from "../../../shared/number-text.ts";
import { describeChange } from "../described/describe.ts";
import type { OperationGroup, Planned, Report } from "../described/description.ts";
import { withRule } from "../described/fields.ts";
import { planReplay, type ReplayPlan } from "./plan-replay.ts";
import { readSelection, replayInput, selectionFault } from "./selection.ts";
import { sendReplay } from "./send-replay.ts";

export const send = describeChange({
  title: "Replay events",
  summary:
    'Sends recorded events to a subscriber\'s queue again: the stored bytes, in order within each order and payment, with the message attribute "replay". Everything that is given must match. Live events go on meanwhile and may overtake it.',
  promises: [
    "The bytes are the stored ones, so the `id` is that of the first delivery. A replay is a second delivery: a consumer that [is idempotent by `id`](subscribing.md#how-to-read-it-right) does nothing twice. Every message has the attribute `replay` with the run's id, for consumers that want to tell.",
    "It is safe to run again, as a whole or in part. Nothing is stored about a run: after Ctrl-C or an error the command prints the command that continues, with a `--since` from which nothing was missed. After a crash, run the same command again. What was sent before comes once more, under the same `id`.",
    "Two runs at once both send everything, each in order. Consumers get each event twice and recognise it by `id`.",
    "On an ordered queue, the events of one `partitionkey` come in order of `sequence` within the run. An event that SQS refuses is tried again before any later one. If SQS goes on refusing for half a minute, the run stops.",
    "The subscriber gets what its filter wants when the run starts, not what it wanted when the event was recorded.",
    "A run ends at the latest with what was recorded when it was started: what comes later is live. It may be of any length: the events are read and sent hour by hour.",
    "At most `--rate` events a second, evenly. A slow network makes it less, and an order's own events are sent one in a call. A replay into a queue that a consumer reads slowly holds live events of the same orders up behind it: choose the rate accordingly.",
    "With `--all`, or a range of more than 31 days, the whole index by time is read to count the events, with and without `--yes`.",
    "Live events may overtake a replay: a consumer may get sequence 5 live, then 3 and 4 again. It keeps the snapshot with the highest `sequence`.",
    "Records expire after `callbacks.recordExpiryDays`, and history ends there. A record that expires during the run is counted and skipped.",
    'An event that is still *pending* for the subscriber is skipped and counted, because its first delivery is still to come: within seconds, or with a redrive from the [attention](#attention). Sent by the replay, it would arrive twice, and the first delivery would come after it. With `--order` or `--payment` the preview counts such events; for a range of time it says "at most", because only the sending reads each record.',
    "With `--order`, only payments that the order names are known: find another payment's refunds with `--payment`. The facts of a payment itself belong to its order. No index has the ids of events: with `--event` every record of the order, the payment or the range is read.",
    "Each run writes an audit line with its id, the subscriber, the selection and the number of events, and another at its end with what was sent and skipped. After a queue was deleted, `check` names its events until a single run has sent all of them: a run that was stopped and continued does not count.",
    "The exit code is 0 if the run is finished and something was sent, 1 if nothing matches or the run was stopped.",
  ],
  input: withRule(replayInput, selectionFault),
  plan: async (target, { to, rate: eventsPerSecond, ...asked }, work): Promise<Planned> => {
    const plan = await planReplay(target, to, readSelection(asked, target.now()), work);
    const { events } = plan;
    return {
      report: previewOf(plan, eventsPerSecond),
      yes: events === 0 ? undefined : `Send ${counted(events, "event")} to ${to}`,
      act: (actual, acting) => sendReplay(actual, plan, { ...acting, eventsPerSecond }),
    };
  },
});

/** What a replay would send, and what it skips. */
function previewOf(plan: ReplayPlan, eventsPerSecond: number): Report {
  const { subscriber, selection, events, unwanted, pending, byType, first, last, sample } = plan;
  const estimatedSeconds = events / eventsPerSecond;
  return {
    ...(events === 0 ? { lines: nothingLines(plan) } : sendingReport(plan, eventsPerSecond)),
    data: {
      subscriber: subscriber.name,
      selection,
      events,
      unwanted,
      pending,
      byType,
      first,
      last,
      sample,
      eventsPerSecond,
      estimatedSeconds,
    },
    isGood: events > 0,
  };
}

function sendingReport(plan: ReplayPlan, eventsPerSecond: number) {
  const { events, byType, first, last, unwanted, sample } = plan;
  const types = Object.entries(byType).map(([type, count]) => [type, numberText(count)] as const);
  const more = events - sample.length;
  return {
    lines: [sendingText(plan, eventsPerSecond)],
    facts: [
      ["first recorded", first && { time: first }],
      ["last recorded", last && { time: last }],
      ...types,
      ["skipped: not wanted", unwanted > 0 ? numberText(unwanted) : undefined],
    ] as const,
    table: sampleTable(plan),
    below: [
      ...(more > 0 ? [`And ${numberText(more)} more.`] : []),
      ...pendingLines(plan),
      "Consumers get the same bytes again and recognise them by id. Live events go on meanwhile and may overtake them.",
    ],
  };
}

function sendingText({ subscriber, events, pending }: ReplayPlan, eventsPerSecond: number) {
  const most = pending === undefined ? "At most " : "";
  const seconds = Math.max(1, Math.ceil(events / eventsPerSecond));
  return `${most}${counted(events, "event")} would be sent to ${subscriber.name}. At ${eventsPerSecond} a second it takes at least ${durationText(seconds)}.`;
}

function sampleTable({ sample }: ReplayPlan): NonNullable<Report["table"]> {
  const rows = sample.map(({ recordedAt, type, subject, sequence, id }) => [
    { time: recordedAt },
    type,
    subject ?? "-",
    String(sequence),
    id,
  ]);
  return { head: ["recorded", "type", "subject", "sequence", "event id"], rows };
}

function nothingLines(plan: ReplayPlan): readonly string[] {
  const { subscriber, unwanted, pending = 0 } = plan;
  if (unwanted + pending === 0) {
    return ["No recorded event matches. Records expire: see callbacks.recordExpiryDays."];
  }
  if (pending > 0) {
    return [`There is nothing to send to ${subscriber.name}.`, ...pendingLines(plan)];
  }
  const count = counted(unwanted, "event");
  return [`The filter of ${subscriber.name} excludes everything that matches: ${count}.`];
}

/** Events that still wait for their first delivery to the subscriber. */
function pendingLines({ subscriber: { name }, pending }: ReplayPlan): readonly string[] {
  if (pending === undefined) {
    return [`Events whose first delivery to ${name} is still to come are skipped.`];
  }
  if (pending === 0) return [];
  return [
    `${counted(pending, "event")} skipped: the first delivery is still on its way. If this lasts longer than some minutes, look with: npx paycast attention list --order ORDER_NO`,
  ];
}

export const replay: OperationGroup = {
  name: "replay",
  about: ["After a consumer lost or misread events, or to fill a new subscriber from history."],
  operations: [send],
  examples: [
    "replay --to fulfilment --order ORDER-1001",
    "replay --to fulfilment --since 3h --type payment.order.success --yes",
    "replay --to new-team --all --rate 200 --stack Paycast --yes",
  ],
};
