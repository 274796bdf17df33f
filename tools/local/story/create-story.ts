import { type Colours, harmless } from "../../../shared/text/terminal-text.ts";
import type { StackEvent } from "../stack/functions/stack-event.ts";
import { type FunctionLine, isOnlyCount, readFunctionLine, tellLine } from "./tell-line.ts";

interface StoryOptions {
  readonly print: (line: string) => void;
  readonly colours: Colours;
  /** Also prints the functions' log lines, and a line for each request, batch and run. */
  readonly verbose: boolean;
}

/** Prints what happens in the local stack: one line for each thing that a person wants to know. */
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
  const tellOutput = ({ functionName, line }: { functionName: string; line: string }) => {
    if (isOnlyCount(line)) return;
    const read = readFunctionLine(line);
    if (read !== undefined) tell(tellLine(nameOrder(read), colours));
    // Other output is a developer's own print, or a crash.
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

/** While a queue cannot be read, each attempt produces the same notice. */
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

/** A refund's line names only its payment. Earlier lines show to which order the payment belongs. */
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

type StoryEvent = Exclude<StackEvent, { kind: "output" }>;

/** Requests, batches, runs and reloads appear only with --verbose: their results have lines of their own. */
function tellEvent(event: StoryEvent, verbose: boolean, colours: Colours): string | undefined {
  const { red, green, dim } = colours;
  if (event.kind === "notice") return harmless(event.message);
  if (event.kind === "alarm") {
    const [meaning = ""] = event.description.split(". ");
    return event.isRinging
      ? `${red("alarm")}: ${event.description.replace(/ Dashboard: \S+$/, "")}`
      : `${green("alarm over")}: ${meaning}.`;
  }
  if (event.kind === "failure") {
    // The first line is the error. The stack trace after it points into the bundle.
    const lines = event.reason.split("\n").map(harmless);
    return `${event.functionName} ${red("failed")}: ${verbose ? lines.join("\n") : lines[0]}`;
  }
  return verbose ? dim(harmless(JSON.stringify(event))) : undefined;
}

/**
 * The payment service's log, without the lines that Paycast's own lines cover: a created order, and a callback that got
 * a response.
 */
function tellService(line: string): string | undefined {
  if (/^create .* → \S+$/.test(line) || /^callback .* → \d{3}$/.test(line)) return undefined;
  return `payment service: ${harmless(line)}`;
}
