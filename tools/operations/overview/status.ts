import * as z from "zod";
import {
  counted,
  durationText,
  wholeMinutes,
  wholeSeconds,
} from "../../../shared/text/number-text.ts";
import { describeLook } from "../described/describe.ts";
import type { OperationGroup, Report } from "../described/description.ts";
import { stackOption } from "../stack-option.ts";
import { changesLine } from "./change-words.ts";
import type { FailureNote } from "./failure-words.ts";
import {
  deadLettersOf,
  type FlowNumber,
  type FlowStage,
  flowStages,
  isTroubled,
} from "./flow-stages.ts";
import type { RingingAlarm } from "./read-alarms.ts";
import { type Flow, type QueueFlow, readFlow, type SubscriberFlow } from "./read-flow.ts";
import { unreadParts } from "./unread.ts";

const look = describeLook({
  summary:
    "Shows what happened in the last hour, what waits now, and the active alarms: most severe first, each with a first command and its runbook section. Start here when something does not work. The exit code is 1 if an alarm is active, or if something other than the changes cannot be read.",
  input: z.object({}),
  look: async (target): Promise<Report> => {
    const flow = await readFlow(target);
    const unread = unreadParts(flow, stackOption(target.stack));
    const alarms = flow.alarms ?? [];
    const wrong = [...unread, ...alarms.flatMap(alarmLines)];
    const { notes } = flowStages(flow, target.clock.now()).refused;
    return {
      lines: [],
      facts: [
        ...stageFacts(flow, target.clock.now()),
        ...subscriberFacts(flow.subscribers),
        ["changes", changesLine(flow.changes)],
      ],
      below: [
        ...(wrong.length > 0 ? wrong : ["No active alarms."]),
        ...notes.map(noteText),
        ...unreadChanges(flow),
      ],
      data: { unread, alarms: flow.alarms, ...statusOf(flow) },
      isGood: unread.length + alarms.length === 0,
    };
  },
});

/** Not among what is wrong: they only help to find a cause, and some of them may have been read. */
function unreadChanges({ changesProblem }: Flow): readonly string[] {
  if (changesProblem === undefined) return [];
  return [`Changes of the last day cannot be read: ${changesProblem}`];
}

/** Of the last hour only the totals. */
function statusOf({ counts, failures, refusals, inbox, attention, subscribers, ...flow }: Flow) {
  const { changes, changesProblem } = flow;
  const totals =
    counts &&
    Object.fromEntries(Object.entries(counts).map(([name, { total }]) => [name, total] as const));
  const changed = { changes, changesProblem };
  return { counts: totals, failures, refusals, ...changed, inbox, attention, subscribers };
}

/** "Alarm (wake) inbox, since 2026-11-15T02:41:00Z: ...", then what to copy and where to read on. */
function alarmLines(alarm: RingingAlarm): readonly string[] {
  const { name, severity = "?", section, since, text, command, runbook } = alarm;
  const time = since === undefined ? "" : `, since ${wholeSeconds(since)}`;
  return [
    `Alarm (${severity}) ${section ?? name}${time}: ${text}`,
    ...(command === undefined ? [] : [`  Begin with: ${command}`]),
    ...(runbook === undefined ? [] : [`  Runbook: ${runbook}`]),
  ];
}

type Fact = readonly [name: string, value: string];

function stageFacts(flow: Flow, nowMilliseconds: number): readonly Fact[] {
  const { storefront, callbacks, refused, inbox, processed, attention } = flowStages(
    flow,
    nowMilliseconds,
  );
  const received = { ...callbacks, more: [...callbacks.more, refused.main] };
  const stages: readonly FlowStage[] = flow.hasStorefront
    ? [storefront, received, inbox, processed, attention]
    : [received, inbox, processed, attention];
  return stages.map(({ title, main, more, notes = [] }) => {
    const parts = [main, ...more.filter(({ value = 0 }) => value > 0)].map(numberText);
    const oldest = title === inbox.title ? oldestText(flow.inbox) : [];
    return [title.toLowerCase(), [...parts, ...oldest, ...notes.map(noteText)].join(", ")];
  });
}

function numberText({ value, label, last, tone }: FlowNumber): string {
  const at = last === undefined || tone !== "bad" ? "" : ` (last ${wholeMinutes(last)})`;
  return `${value ?? "?"} ${label}${at}`;
}

function noteText({ text, at, more }: FailureNote): string {
  return [text, at && wholeMinutes(at), more].filter(Boolean).join(" ");
}

function oldestText({ oldestSeconds, oldestAt }: QueueFlow): string[] {
  if (oldestSeconds === undefined || oldestAt === undefined) return [];
  return [`oldest ${durationText(oldestSeconds)}, since ${wholeSeconds(oldestAt)}`];
}

/** Up to this many subscribers have a line each. If there are more, only those with a problem have one. */
const mostLines = 4;

function subscriberFacts(subscribers: readonly SubscriberFlow[]): readonly Fact[] {
  const areFew = subscribers.length <= mostLines;
  const hasLine = (subscriber: SubscriberFlow) => areFew || isTroubled(subscriber);
  const others = subscribers.filter((subscriber) => !hasLine(subscriber));
  const inQueues = others.reduce((sum, { waiting, inFlight }) => sum + waiting + inFlight, 0);
  const rest = `${counted(others.length, "subscriber")}, ${inQueues} in their queues`;
  return [
    ...subscribers.filter(hasLine).map(subscriberFact),
    ...(others.length === 0 ? [] : [["others", rest] as const]),
  ];
}

function subscriberFact(subscriber: SubscriberFlow): Fact {
  const { name, waiting, inFlight, deadLetters, problem, isGone, isLate } = subscriber;
  if (isGone) return [name, "its queue does not exist"];
  const value = problem === undefined ? waiting + inFlight : undefined;
  const dead = deadLettersOf(name, deadLetters);
  const parts = [
    numberText({ value, label: "in the queue", tone: "plain" }),
    ...oldestText(subscriber),
    ...(isLate ? [`longer than ${counted(subscriber.maxWaitMinutes, "minute")}`] : []),
    ...(dead.value === 0 ? [] : [numberText(dead)]),
  ];
  return [name, parts.join(", ")];
}

export const status: OperationGroup = {
  name: "status",
  about: [],
  operations: [look],
  examples: ["status", "status --stack Paycast --json | jq '.alarms[].section'"],
};
