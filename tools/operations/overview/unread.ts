import type { Flow, QueueFlow } from "./read-flow.ts";

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

function unreadQueue(name: string, { problem, deadLetters }: QueueFlow): readonly string[] {
  const letters = `The dead letters of ${name.replace("The", "the")}`;
  return [...unread(name, problem), ...unread(letters, deadLetters.problem)];
}

function unread(what: string, problem: string | undefined): readonly string[] {
  return problem === undefined ? [] : [`${what} cannot be read. ${problem}`];
}
