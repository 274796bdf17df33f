import { counted } from "../../../shared/number-text.ts";
import { fewestRefusals, refusedPercent } from "../../../shared/receiving/refusal-alarm.ts";
import type { Counted } from "../telemetry/metric.ts";
import type { FlowCounts } from "./flow-counts.ts";
import { needPerson } from "./flow-stages.ts";
import type { Flow, SubscriberFlow } from "./read-flow.ts";
import { storefrontWarnings } from "./storefront-warnings.ts";
import {
  happened,
  keysLook,
  lastText,
  lateSince,
  refusingText,
  totalSince,
  type Warning,
  type WarningContext,
} from "./warning.ts";

/**
 * What is wrong on the local stack, where no CloudWatch evaluates alarms: the counts of the last hour with the limits of
 * the alarms. A deployed stack has its alarms (read-alarms.ts) and nothing of this.
 */
export function localWarnings(flow: Flow, context: WarningContext): Warning[] {
  return [
    ...countWarnings(flow, context),
    ...attentionWarnings(flow, context),
    ...flow.subscribers.flatMap((subscriber) => subscriberWarnings(subscriber, context)),
  ];
}

function countWarnings(flow: Flow, context: WarningContext): Warning[] {
  const { counts } = flow;
  if (counts === undefined) return [];
  return [
    ...storefrontWarnings(counts, flow.lastRefusal, context),
    ...notStoredWarnings(counts, context),
    ...refusedWarnings(counts, context),
    ...moneyWarnings(counts, context),
  ];
}

function notStoredWarnings({ notStored }: FlowCounts, context: WarningContext): Warning[] {
  if (notStored.total === 0) return [];
  const message = `Answered 503 in the last hour: ${counted(notStored.total, "callback")}${lastText(notStored, context)}. The inbox or the keys were not available. The service sends them again.`;
  return [happened(message, notStored, context, keysLook)];
}

/** Has the limits of the alarms: a forgery now and then is refused, and that is all. */
function refusedWarnings(counts: FlowCounts, context: WarningContext): Warning[] {
  const { notAuthentic } = counts;
  const share =
    refusedShare(counts, "hour", ({ total }) => total) ??
    refusedShare(counts, "ten minutes", (count) => totalSince(count, lateSince(count)));
  if (share === undefined) return [];
  const message = `${share} were not authentic${lastText(notAuthentic, context)}. The keys or the wire profile may be wrong, or somebody forges them.`;
  return [happened(message, notAuthentic, context, keysLook)];
}

/** "3 of 12 callbacks of the last hour"; undefined if they are few. */
function refusedShare(
  { notAuthentic, unknownMerchant, accepted }: FlowCounts,
  time: string,
  totalOf: (count: Counted) => number,
): string | undefined {
  const refused = totalOf(notAuthentic) - totalOf(unknownMerchant);
  const all = totalOf(accepted) + refused;
  if (refused < fewestRefusals || 100 * refused < all * refusedPercent) return undefined;
  return `${refused} of ${counted(all, "callback")} of the last ${time}`;
}

/** What also has an alarm: flags that say that money may be wrong. */
function moneyWarnings({ doubtful }: FlowCounts, context: WarningContext): Warning[] {
  if (doubtful.total === 0) return [];
  const message = `Money is in doubt in ${counted(doubtful.total, "callback")} of the last hour${lastText(doubtful, context)}: paid twice, another amount, or different contents under one id.`;
  const look = { to: "/orders?flag=any", action: "Look at the flagged orders" };
  return [happened(message, doubtful, context, { ...look, command: "orders --flag any" })];
}

const lookAtIt = "Look at it";

function attentionWarnings(flow: Flow, { timeText }: WarningContext): Warning[] {
  const { attention, inbox } = flow;
  const letters = inbox.deadLetters.waiting + inbox.deadLetters.inFlight;
  const inQueue = letters === 0 ? [] : [inboxWarning(letters)];
  if (attention === undefined) return inQueue;
  const { isMore, last: at } = attention;
  const needed = needPerson(attention);
  if (needed === 0) return inQueue;
  const since = at === undefined ? "" : `, the last since ${timeText(at)}`;
  const message = `${needed}${isMore ? " or more" : ""} need a person${since}.`;
  const look = { to: "/attention", action: lookAtIt, command: "attention list" };
  return [{ message, isRed: true, look }, ...inQueue];
}

function inboxWarning(letters: number): Warning {
  const look = { to: "/subscribers/inbox", action: lookAtIt, command: "dead-letters list inbox" };
  const message = `The inbox has ${counted(letters, "dead letter")}.`;
  return { message, word: "inbox dead letters", isRed: true, look };
}

/** What is wrong with a subscriber: nothing, or one warning that says it all. */
function subscriberWarnings(subscriber: SubscriberFlow, context: WarningContext): Warning[] {
  const { name, deadLetters, refusing } = subscriber;
  const dead = deadLetters.waiting + deadLetters.inFlight;
  const messages = [
    ...(dead === 0 ? [] : [`${name} has ${counted(dead, "dead letter")}.`]),
    ...(refusing === undefined ? [] : [`${name} ${refusingText(refusing, context.timeText)}.`]),
  ];
  if (messages.length === 0) return [];
  const command = `${dead > 0 ? "dead-letters list" : "attention list --subscriber"} ${name}`;
  const look = { to: `/subscribers/${name}`, action: lookAtIt, command };
  return [{ message: messages.join(" "), isRed: true, look }];
}
