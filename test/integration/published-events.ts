import { faultsOfEvent } from "../builders/event-validator.ts";
import { type Call, isSend, messagesIn } from "./fault-proxy.ts";

/** The body of every event that functions sent to a queue; only events have the attribute `type`. */
export function publishedBy(calls: readonly Call[]): string[] {
  const messages = calls.filter(isSend).flatMap(messagesIn);
  const events = messages.filter(
    ({ MessageAttributes }) => Object(MessageAttributes)["type"] !== undefined,
  );
  return events.map(({ MessageBody }) => String(MessageBody));
}

/** What is wrong with the events that were published. Every world asks at its end, so that no test can forget it. */
export function faultsOfPublished(calls: readonly Call[]): string[] {
  // An event goes to several subscribers, and again after a failure.
  return [...new Set(publishedBy(calls))].flatMap(faultsOfEvent);
}
