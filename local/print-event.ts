import * as z from "zod";
import { parseJson } from "../shared/parse-json.ts";
import type { SentMessage } from "./aws/sqs.ts";
import type { StackEvent } from "./stack/functions/stack-event.ts";

type Print = (line: string) => void;

/** Prints one line for each thing that happens. */
export function printStackEvent(event: StackEvent, verbose: boolean, print: Print): void {
  if (verbose || !isOnlyForVerbose(event)) print(describe(event));
}

/** The functions' own log lines, and the runs of a schedule: most find nothing, and what one finds has lines of its own. */
function isOnlyForVerbose({ kind }: StackEvent): boolean {
  return kind === "output" || kind === "schedule";
}

function describe(event: StackEvent): string {
  switch (event.kind) {
    case "request":
      return `${event.method} ${event.path} ${event.status}  ${aside(event.functionName ?? "no route", event.durationMilliseconds)}`;
    case "batch":
      return `${count(event.messages)} from ${event.queueName}${event.failed > 0 ? `, ${event.failed} failed` : ""}  ${aside(event.functionName, event.durationMilliseconds)}`;
    case "schedule":
      return `on schedule  ${aside(event.functionName, event.durationMilliseconds)}`;
    case "output":
      return `${event.functionName} | ${event.line}`;
    case "failure":
      return `${event.functionName} failed: ${event.reason}`;
    case "notice":
      return event.message;
  }
}

const eventSchema = z.object({
  specversion: z.string(),
  type: z.string(),
  subject: z.string().optional(),
});

/** Prints a line for each event that is sent to a subscriber, and nothing for other messages. */
export function printPublished(
  message: SentMessage,
  subscriberOf: (queueName: string) => string | undefined,
  print: Print,
): void {
  const subscriber = subscriberOf(message.queueName);
  if (subscriber === undefined) return;
  const event = eventSchema.safeParse(parseJson(message.body));
  if (!event.success) return;
  const { type, subject } = event.data;
  print(`${type}${subject === undefined ? "" : ` of ${subject}`} to ${subscriber}`);
}

function aside(functionName: string, durationMilliseconds: number): string {
  return `(${functionName}, ${durationMilliseconds.toFixed(0)} ms)`;
}

function count(messages: number): string {
  return messages === 1 ? "1 message" : `${messages} messages`;
}
