import type { Flow, QueueFlow, SubscriberFlow } from "../../../operations/overview/read-flow.ts";
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
    ...unreadWarnings("The inbox", flow.inbox),
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

function quarantineWarnings({ quarantine, inbox }: Flow): Warning[] {
  const { records, isMore, problem } = quarantine;
  const unread =
    problem === undefined ? [] : [{ message: `The quarantine cannot be counted. ${problem}` }];
  const letters = inbox.deadLetters.waiting + inbox.deadLetters.inFlight;
  if (records + letters === 0) return unread;
  const message = `${Math.max(records, letters)}${isMore ? " or more" : ""} in quarantine.`;
  return [...unread, { message, to: "/quarantine", action: "Look and redrive" }];
}

function subscriberWarnings(subscriber: SubscriberFlow, stack: StackView): Warning[] {
  const { name, deadLetters, oldestSeconds = 0 } = subscriber;
  const to = addressOf(["subscribers", name]);
  const dead = deadLetters.waiting + deadLetters.inFlight;
  return [
    ...unreadWarnings(`The queue of ${name}`, subscriber),
    ...(dead === 0
      ? []
      : [{ message: `${name} has ${dead} dead letters.`, to, action: "Look and redrive" }]),
    ...(isLagging(subscriber, stack)
      ? [{ message: `${name} has not read its oldest event for ${duration(oldestSeconds)}.`, to }]
      : []),
  ];
}
