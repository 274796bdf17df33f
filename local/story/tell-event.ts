import { type Colours, harmless } from "../../shared/terminal-text.ts";
import type { StackEvent } from "../stack/functions/stack-event.ts";

type Told = Exclude<StackEvent, { kind: "output" }>;

/** Requests, batches, runs and reloads say nothing by themselves: what they led to has lines of its own. */
export function tellEvent(event: Told, verbose: boolean, colours: Colours): string | undefined {
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
