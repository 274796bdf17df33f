import { counted, durationText, numberText } from "../../../shared/text/number-text.ts";
import { describeChange } from "../described/describe.ts";
import type { OperationGroup, Planned, Report } from "../described/description.ts";
import { withRule } from "../described/fields.ts";
import { planReplay, type ReplayPlan } from "./plan-replay.ts";
import { readSelection, replayInput, selectionFault } from "./selection.ts";
import { sendReplay } from "./send-replay.ts";

export const send = describeChange({
  title: "Replay events",
  summary:
    'Sends recorded events to a subscriber\'s queue again: the stored bytes, in order within each order and payment, with the message attribute "replay". All given options must match. Live events continue and may overtake it.',
  input: withRule(replayInput, selectionFault),
  plan: async (target, { to, rate: eventsPerSecond, ...asked }, work): Promise<Planned> => {
    const plan = await planReplay(target, to, readSelection(asked, target.clock.now()), work);
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
      "Consumers receive the same bytes again and recognise them by id. Live events continue and may overtake them.",
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
    return [`Events whose first delivery to ${name} is still pending are skipped.`];
  }
  if (pending === 0) return [];
  return [
    `${counted(pending, "event")} skipped: the first delivery is still pending. If this takes more than a few minutes, run: npx paycast attention list --order ORDER_NO`,
  ];
}

export const replay: OperationGroup = {
  name: "replay",
  about: [
    "Use it after a consumer lost or misread events, or to fill a new subscriber from history.",
  ],
  operations: [send],
  examples: [
    "replay --to fulfilment --order ORDER-1001",
    "replay --to fulfilment --since 3h --type payment.order.success --yes",
    "replay --to new-team --all --rate 200 --stack Paycast --yes",
  ],
};
