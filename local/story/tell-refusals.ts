import { type Refusing, refusingText } from "../../operations/overview/refusing.ts";
import type { Colours } from "../../shared/terminal-text.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import type { FunctionLine } from "./function-line.ts";

/** What a subscriber misses, as far as this terminal has seen it. */
interface Missed extends Omit<Refusing, "waiting"> {
  /** The ids of the events that wait. */
  readonly waiting: ReadonlySet<string>;
}

const nothing: Missed = {
  waiting: new Set(),
  givenUp: 0,
  since: undefined,
  givenUpSince: undefined,
  lastGivenUp: undefined,
  errorName: "",
};

/** Tells what a subscriber's queue refuses, each time that it is more or less, and when the queue takes events again. */
export function createRefusals({ bold, red, green }: Colours): (line: FunctionLine) => string[] {
  const known = new Map<string, Missed>();
  const refused = (name: string, line: FunctionLine) => {
    const before = known.get(name) ?? nothing;
    const after = missedAfter(before, line);
    if (after === before) return [];
    known.set(name, after);
    const text = refusingText({ ...after, waiting: after.waiting.size }, clockTime);
    return [`${bold(name)} ${red(text)}`];
  };
  const taken = (name: string) =>
    known.delete(name) ? [`${bold(name)} ${green("takes events again")}`] : [];
  return (line) => {
    if (line.service !== "process-callback") return [];
    const { deliveredTo, subscribers } = line;
    return [...deliveredTo.flatMap(taken), ...subscribers.flatMap((name) => refused(name, line))];
  };
}

/** The same object if the line brings nothing new, such as a further try of an event that waits. */
function missedAfter(
  before: Missed,
  { eventId, ending, timestamp, ...line }: FunctionLine,
): Missed {
  const at = toRfc3339(timestamp);
  const { errorName = before.errorName } = line;
  if (eventId === undefined) return before;
  if (ending === "undeliverable") {
    const waiting = new Set([...before.waiting].filter((id) => id !== eventId));
    const since = waiting.size === 0 ? undefined : before.since;
    const givenUpSince = before.givenUpSince ?? at;
    const givenUp = before.givenUp + 1;
    return { waiting, since, errorName, givenUp, givenUpSince, lastGivenUp: at };
  }
  if (before.waiting.has(eventId)) return before;
  const waiting = new Set([...before.waiting, eventId]);
  return { ...before, waiting, errorName, since: before.since ?? at };
}

/** "02:44:07Z". */
function clockTime(rfc3339: string): string {
  return `${rfc3339.slice(11, 19)}Z`;
}
