import type { Flow, QueueFlow } from "./read-flow.ts";
import type { QueueNumbers } from "./read-queues.ts";

/**
 * What could not be read, and why: a queue that cannot be read shows 0, which must not look like an empty one. `stack`
 * is the option that commands need.
 */
export function unreadParts(flow: Flow, stack: string): readonly string[] {
  const { countsProblem, attentionProblem, alarmsProblem } = flow;
  return [
    ...unread("The alarms", alarmsProblem),
    ...unread("The counts", countsProblem),
    ...unreadQueue("The inbox", flow.inbox, stack),
    ...unread("The attention list", attentionProblem),
    ...flow.subscribers.flatMap((queue) => unreadQueue(`The queue of ${queue.name}`, queue, stack)),
  ];
}

function unreadQueue(name: string, queue: QueueFlow, stack: string): readonly string[] {
  const letters = `The dead letters of ${name.replace("The", "the")}`;
  return [
    ...unreadNumbers(name, queue, stack),
    ...unreadNumbers(letters, queue.deadLetters, stack),
  ];
}

function unreadNumbers(what: string, numbers: QueueNumbers, stack: string): readonly string[] {
  const { problem, isGone } = numbers;
  if (!isGone) return unread(what, problem);
  const action = `To recreate it: npx paycast check${stack}`;
  return [`${what} does not exist: it was deleted. ${action}`];
}

function unread(what: string, problem: string | undefined): readonly string[] {
  return problem === undefined ? [] : [`${what} cannot be read. ${problem}`];
}
