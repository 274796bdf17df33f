import type {
  Flow,
  FlowCounts,
  QueueFlow,
  SubscriberFlow,
} from "../../../operations/overview/read-flow.ts";
import { refusingText } from "../../../operations/overview/refusing.ts";
import { counted } from "../../../shared/counted.ts";
import type { Word } from "../../../shared/words.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { duration } from "../parts/time.tsx";
import { addressOf } from "../router.tsx";
import { tellManyRefused } from "./many-refused.ts";

/** Something that is wrong, and the view where it is fixed. */
export interface Warning {
  readonly message: string;
  /** Without it there is no view that can help. */
  /** A word of the message that is explained. */
  readonly word?: Word;
  readonly fix?: { readonly to: string; readonly action: string };
}

/** As the alarm on a subscriber's queue: nobody has read its oldest event for this time. */
const lagSeconds = 15 * 60;

/** On the local stack nobody reads the queues, unless a developer does. */
export function isLagging({ oldestSeconds = 0 }: SubscriberFlow, { kind }: StackView): boolean {
  return kind === "deployed" && oldestSeconds > lagSeconds;
}

/** Whether a person must look at it. */
export function hasTrouble(subscriber: SubscriberFlow, stack: StackView): boolean {
  return subscriberWarnings(subscriber, stack).length > 0;
}

export function findWarnings(flow: Flow, stack: StackView): Warning[] {
  return [
    ...countWarnings(flow),
    ...unreadWarnings("The inbox", flow.inbox),
    ...attentionWarnings(flow),
    ...flow.subscribers.flatMap((subscriber) => subscriberWarnings(subscriber, stack)),
  ];
}

function countWarnings({ counts, countsProblem }: Flow): Warning[] {
  if (counts === undefined) return [{ message: `The counts cannot be read. ${countsProblem}` }];
  return [
    ...notStoredWarnings(counts.notStored.total),
    ...refusedWarnings(counts),
    ...moneyWarnings(counts.doubtful.total),
  ];
}

function notStoredWarnings(count: number): Warning[] {
  if (count === 0) return [];
  const message = `Answered 503 in the last hour: ${counted(count, "callback")}. The inbox or the keys were not available. The service sends them again.`;
  return [{ message, fix: { to: "/keys", action: "Look at the keys" } }];
}

function refusedWarnings(counts: FlowCounts): Warning[] {
  const message = tellManyRefused(counts);
  return message === undefined
    ? []
    : [{ message, fix: { to: "/keys", action: "Look at the keys" } }];
}

/** What also has an alarm: flags that say that money may be wrong. */
function moneyWarnings(count: number): Warning[] {
  if (count === 0) return [];
  const message = `Money is in doubt in ${counted(count, "callback")} of the last hour: paid twice, another amount, or different contents under one id.`;
  const to = addressOf(["orders"], { flag: "any" });
  return [{ message, fix: { to, action: "Look at the flagged orders" } }];
}

/** A queue that cannot be read shows 0, which must not look like an empty one. */
function unreadWarnings(name: string, { problem, deadLetters }: QueueFlow): Warning[] {
  const unread = [
    [name, problem],
    [`The dead letters of ${name.replace("The", "the")}`, deadLetters.problem],
  ] as const;
  return unread.flatMap(([what, why]) =>
    why === undefined ? [] : [{ message: `${what} cannot be read. ${why}` }],
  );
}

function attentionWarnings({ attention, attentionProblem, inbox }: Flow): Warning[] {
  const letters = inbox.deadLetters.waiting + inbox.deadLetters.inFlight;
  const inQueue =
    letters === 0
      ? []
      : [{ message: `The inbox has ${counted(letters, "dead letter")}.`, ...inboxFix }];
  if (attention === undefined) {
    return [{ message: `The quarantine cannot be read. ${attentionProblem}` }, ...inQueue];
  }
  const { quarantined, undeliverable, isMore } = attention;
  if (quarantined + undeliverable === 0) return inQueue;
  const message = `${quarantined + undeliverable}${isMore ? " or more" : ""} in quarantine.`;
  return [{ message, fix: { to: "/quarantine", action: "Look at it" } }, ...inQueue];
}

const inboxFix = {
  word: "inbox dead letters",
  fix: { to: "/subscribers/inbox", action: "Look at it" },
} as const;

function subscriberWarnings(subscriber: SubscriberFlow, stack: StackView): Warning[] {
  const { name, deadLetters, oldestSeconds = 0, refusing } = subscriber;
  const dead = deadLetters.waiting + deadLetters.inFlight;
  const fix = {
    to: addressOf(["subscribers", name]),
    action: "Look at it",
  };
  const messages = [
    ...unreadWarnings(`The queue of ${name}`, subscriber).map(({ message }) => message),
    ...(dead === 0 ? [] : [`${name} has ${counted(dead, "dead letter")}.`]),
    ...(refusing === undefined ? [] : [`${name} ${refusingText(refusing)}.`]),
    ...(isLagging(subscriber, stack)
      ? [`The oldest event of ${name} has waited for ${duration(oldestSeconds)}.`]
      : []),
  ];
  return messages.length === 0 ? [] : [{ message: messages.join(" "), fix }];
}
