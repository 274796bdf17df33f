import type { Colours } from "../../shared/terminal-text.ts";
import { because, causeOf, type FunctionLine, subjectOf, words } from "./function-line.ts";

/** What process-callback did with one message. */
export function tellProcessing(line: FunctionLine, colours: Colours): string | undefined {
  switch (line.outcome) {
    case "published":
    case "resumed":
      return `${tellFact(line, colours)} → ${tellDelivery(line, colours)}`;
    case "known-fact":
      return `${tellFact(line, colours)} was known, nothing published`;
    case "duplicate":
      return `${tellFact(line, colours)} came again, nothing published`;
    case "quarantined":
      return tellQuarantined(line, colours);
    case "failed":
      return because(tellGivenBack(line, colours), causeOf(line));
    case "left-for-later":
      return because(tellGivenBack(line, colours), "no time was left");
    default:
      return undefined;
  }
}

function tellFact(line: FunctionLine, { bold, yellow }: Colours): string {
  const flags = line.flags.length === 0 ? "" : yellow(`[${line.flags.join(", ")}]`);
  return words(bold(subjectOf(line) ?? "a callback"), statusOf(line.eventName), flags);
}

/** "payment.order.success" is told as "success", "payment.refund.failed" as "refund failed". */
function statusOf(eventName: string | undefined): string | undefined {
  return eventName?.replace("payment.order.", "").replace("payment.refund.", "refund ");
}

function tellDelivery(line: FunctionLine, { green, red }: Colours): string {
  const { deliveredTo, subscribers, errorName, ending } = line;
  if (deliveredTo.length + subscribers.length === 0) return "no subscriber wants it";
  const done = deliveredTo.map((name) => `${name} ${green("✓")}`);
  const refused = subscribers.map((name) => `${name} ${red("✗")}`);
  return words(...done, ...refused, errorName, endings[ending ?? ""]);
}

const endings: Readonly<Record<string, string>> = {
  "given-back": "(given back)",
  undeliverable: "(quarantined)",
};

function tellGivenBack(line: FunctionLine, { yellow }: Colours): string {
  return words(subjectOf(line) ?? "a message", yellow("given back"));
}

function tellQuarantined(line: FunctionLine, { red, dim }: Colours): string {
  const why = line.detail === undefined ? undefined : dim(`(${line.detail})`);
  return words(red("quarantined"), line.reason, subjectOf(line), why);
}
