import { counted, durationText, numberText } from "../../../shared/number-text.ts";
import type { Report } from "../described/description.ts";
import type { ReplayPlan } from "./plan-replay.ts";

/** What a replay would send, and what it leaves out. */
export function previewOf(plan: ReplayPlan, eventsPerSecond: number): Report {
  const { subscriber, entries, selection, ...found } = plan;
  const { unwanted, pending, byType, first, last, sample } = found;
  const count = entries.length;
  const estimatedSeconds = count / eventsPerSecond;
  const types = Object.entries(byType).map(([type, of]) => [type, numberText(of)] as const);
  const more = count - sample.length;
  return {
    lines: count === 0 ? nothingLines(plan) : [sendingText(plan, eventsPerSecond)],
    ...(count > 0 && {
      facts: [
        ["first recorded", first && { time: first }],
        ["last recorded", last && { time: last }],
        ...types,
        ["left out: not wanted", unwanted > 0 ? numberText(unwanted) : undefined],
      ],
      table: sampleTable(plan),
      below: [
        ...(more > 0 ? [`And ${numberText(more)} more.`] : []),
        ...pendingLines(plan),
        "Live events go on meanwhile and may overtake it.",
      ],
    }),
    data: {
      subscriber: subscriber.name,
      selection,
      events: count,
      unwanted,
      pending,
      byType,
      first,
      last,
      sample,
      eventsPerSecond,
      estimatedSeconds,
    },
    isGood: count > 0,
  };
}

function sendingText({ subscriber, entries, pending }: ReplayPlan, eventsPerSecond: number) {
  const most = pending === undefined ? "At most " : "";
  const seconds = Math.max(1, Math.ceil(entries.length / eventsPerSecond));
  return `${most}${counted(entries.length, "event")} would be sent to ${subscriber.name}. At ${eventsPerSecond} a second it takes at least ${durationText(seconds)}.`;
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
  if (pending > 0)
    return [`There is nothing to send to ${subscriber.name}.`, ...pendingLines(plan)];
  const left = counted(unwanted, "event");
  return [`The filter of ${subscriber.name} leaves out everything that matches: ${left}.`];
}

/** What the subscriber has not got for the first time yet. */
function pendingLines({ subscriber: { name }, pending }: ReplayPlan): readonly string[] {
  if (pending === undefined) {
    return [
      `Events that ${name} has not got for the first time yet are skipped: their first delivery sends them.`,
    ];
  }
  if (pending === 0) return [];
  return [
    `${counted(pending, "event")} left out: the first delivery is still on its way. If this lasts longer than some minutes, look with: npx paycast quarantine list --order ORDER_NO`,
  ];
}
