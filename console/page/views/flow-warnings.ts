import type { Flow, SubscriberFlow } from "../../../operations/overview/read-flow.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { duration } from "../parts/time.tsx";
import { addressOf } from "../router.tsx";

/** Something that needs a person, and the view where it is fixed. */
export interface Warning {
  readonly message: string;
  readonly to?: string;
  readonly action?: string;
}

/** As the alarm on a subscriber's queue: nobody has read its oldest event for this time. */
const lagSeconds = 15 * 60;

/** On the local stack nobody reads the queues, unless a developer does. */
export function isLagging({ oldestSeconds = 0 }: SubscriberFlow, { kind }: StackView): boolean {
  return kind === "deployed" && oldestSeconds > lagSeconds;
}

export function findWarnings(flow: Flow, stack: StackView): Warning[] {
  return [
    ...countWarnings(flow),
    ...quarantineWarnings(flow),
    ...flow.subscribers.flatMap((subscriber) => subscriberWarnings(subscriber, stack)),
  ];
}

function countWarnings({ counts, countsProblem }: Flow): Warning[] {
  if (counts === undefined) return [{ message: `The counts cannot be read. ${countsProblem}` }];
  const { notStored } = counts;
  if (notStored.total === 0) return [];
  const message = `${notStored.total} callbacks were answered 503 in the last hour: the inbox or the keys were not available. The service sends them again.`;
  return [{ message, to: "/keys", action: "Look at the keys" }];
}

function quarantineWarnings({ quarantine, inbox }: Flow): Warning[] {
  const letters = inbox.deadLetters.waiting + inbox.deadLetters.inFlight;
  if (quarantine.records + letters === 0) return [];
  const count = Math.max(quarantine.records, letters);
  const message = `${count}${quarantine.isMore ? " or more" : ""} in quarantine.`;
  return [{ message, to: "/quarantine", action: "Look and redrive" }];
}

function subscriberWarnings(subscriber: SubscriberFlow, stack: StackView): Warning[] {
  const { name, deadLetters, problem, oldestSeconds = 0 } = subscriber;
  const to = addressOf(["subscribers", name]);
  const dead = deadLetters.waiting + deadLetters.inFlight;
  return [
    ...(problem === undefined ? [] : [{ message: `The queue of ${name}: ${problem}` }]),
    ...(dead === 0
      ? []
      : [{ message: `${name} has ${dead} dead letters.`, to, action: "Look and redrive" }]),
    ...(isLagging(subscriber, stack)
      ? [{ message: `${name} has not read its oldest event for ${duration(oldestSeconds)}.`, to }]
      : []),
  ];
}
