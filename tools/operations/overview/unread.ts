import type { Flow, QueueFlow } from "./read-flow.ts";
import type { QueueNumbers } from "./read-queues.ts";

/** What could not be read, and why: a queue that cannot be read shows 0, which must not look like an empty one. */
export function unreadParts(flow: Flow): readonly string[] {
  const { countsProblem, attentionProblem, alarmsProblem } = flow;
  return [
    ...unread("The alarms", alarmsProblem),
    ...unread("The counts", countsProblem),
    ...unreadQueue("The inbox", flow.inbox),
    ...unread("What needs a person", attentionProblem),
    ...flow.subscribers.flatMap((queue) => unreadQueue(`The queue of ${queue.name}`, queue)),
  ];
}

function unreadQueue(name: string, { deadLetters, ...queue }: QueueFlow): readonly string[] {
  const letters = `The dead letters of ${name.replace("The", "the")}`;
  return [...unreadNumbers(name, queue), ...unreadNumbers(letters, deadLetters)];
}

function unreadNumbers(what: string, { problem, isGone }: QueueNumbers): readonly string[] {
  return isGone
    ? [`${what} does not exist: somebody deleted it. ${goneAction}`]
    : unread(what, problem);
}

const goneAction = "How to make it again: npx paycast check";

function unread(what: string, problem: string | undefined): readonly string[] {
  return problem === undefined ? [] : [`${what} cannot be read. ${problem}`];
}
