import { type Colours, harmless } from "../../../shared/terminal-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { type Refusing, refusingText } from "../../operations/overview/warning.ts";
import type { StackEvent } from "../stack/functions/stack-event.ts";
import { type FunctionLine, readFunctionLine } from "./function-line.ts";
import { tellLine } from "./tell-line.ts";

interface StoryOptions {
  readonly print: (line: string) => void;
  readonly colours: Colours;
  /** Also prints what the functions log, and a line for each request, batch and run. */
  readonly verbose: boolean;
}

/** What happens in the local stack, told line by line: one line for each thing that a person wants to know. */
export interface Story {
  stackEvent(event: StackEvent): void;
  /** A line of the payment service's log. */
  serviceLine(line: string): void;
}

export function createStory({ print, colours, verbose }: StoryOptions): Story {
  const nameOrder = createOrderNames();
  const tell = (line: string | undefined) => {
    if (line !== undefined) print(line);
  };
  const isRepeated = createRepeatCheck();
  const refusals = createRefusals(colours);
  const tellOutput = ({ functionName, line }: { functionName: string; line: string }) => {
    const read = readFunctionLine(line);
    if (read !== undefined) [tellLine(nameOrder(read), colours), ...refusals(read)].forEach(tell);
    // Something else than a log line is what a developer has printed, or a crash.
    if (read === undefined || verbose) print(colours.dim(`${functionName} | ${harmless(line)}`));
  };
  return {
    stackEvent: (event) => {
      if (event.kind === "output") tellOutput(event);
      else if (!isRepeated(event)) tell(tellEvent(event, verbose, colours));
    },
    serviceLine: (line) => tell(verbose ? `payment service: ${harmless(line)}` : tellService(line)),
  };
}

/** While a queue cannot be read, each attempt to read it gives the same notice. */
function createRepeatCheck(): (event: StackEvent) => boolean {
  let last: string | undefined;
  return (event) => {
    if (event.kind !== "notice") return false;
    const isRepeated = event.message === last;
    last = event.message;
    return isRepeated;
  };
}

const mostOrders = 10_000;

/** A refund's line names only its payment. Earlier lines have told to which order the payment belongs. */
function createOrderNames(): (line: FunctionLine) => FunctionLine {
  const orders = new Map<string, string>();
  return (line) => {
    const { orderNo, paymentId } = line;
    if (paymentId === undefined) return line;
    if (orderNo === undefined) return { ...line, orderNo: orders.get(paymentId) };
    if (orders.size < mostOrders) orders.set(paymentId, orderNo);
    return line;
  };
}

type Told = Exclude<StackEvent, { kind: "output" }>;

/** Requests, batches, runs and reloads say nothing by themselves: what they led to has lines of its own. */
function tellEvent(event: Told, verbose: boolean, colours: Colours): string | undefined {
  switch (event.kind) {
    case "failure":
      return `${event.functionName} ${colours.red("failed")}: ${reasonOf(event.reason, verbose)}`;
    case "notice":
      return harmless(event.message);
    default:
      return verbose ? colours.dim(describe(event)) : undefined;
  }
}

/** The first line says what was thrown. The stack after it points into the bundle. */
function reasonOf(reason: string, verbose: boolean): string {
  const lines = reason.split("\n").map(harmless);
  return verbose ? lines.join("\n") : (lines[0] ?? "");
}

function describe(event: Exclude<Told, { kind: "failure" | "notice" }>): string {
  switch (event.kind) {
    case "request":
      return `${event.method} ${harmless(event.path)} ${event.status}  ${aside(event.functionName ?? "no route", event.durationMilliseconds)}`;
    case "batch":
      return `${count(event.messages)} from ${event.queueName}${event.failed > 0 ? `, ${event.failed} failed` : ""}  ${aside(event.functionName, event.durationMilliseconds)}`;
    case "schedule":
      return `on schedule  ${aside(event.functionName, event.durationMilliseconds)}`;
    case "reload":
      return `${event.functionName} was reloaded`;
  }
}

function aside(functionName: string, durationMilliseconds: number): string {
  return `(${functionName}, ${durationMilliseconds.toFixed(0)} ms)`;
}

function count(messages: number): string {
  return messages === 1 ? "1 message" : `${messages} messages`;
}

/**
 * What the payment service's log says, without the lines that Paycast's own story tells better: an order that was
 * created, and a callback that Paycast answered, whatever the answer was.
 */
function tellService(line: string): string | undefined {
  if (/^create .* → \S+$/.test(line) || /^callback .* → \d{3}$/.test(line)) return undefined;
  return `payment service: ${harmless(line)}`;
}

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
function createRefusals({ bold, red, green }: Colours): (line: FunctionLine) => string[] {
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
