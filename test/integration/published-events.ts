import { faultsOfEvent } from "../builders/event-validator.ts";
import type { Call } from "./fault-proxy.ts";

/** The body of every event that functions sent to a queue; only events have the attribute `type`. */
export function publishedBy(calls: readonly Call[]): string[] {
  const sends = calls.filter(({ operation }) => operation === "SendMessage");
  const events = sends.filter(
    ({ input }) => Object(input["MessageAttributes"])["type"] !== undefined,
  );
  return events.map(({ input }) => String(input["MessageBody"]));
}

/** What is wrong with the events that were published. Every world asks at its end, so that no test can forget it. */
export function faultsOfPublished(calls: readonly Call[]): string[] {
  // An event goes to several subscribers, and again after a failure.
  return [...new Set(publishedBy(calls))].flatMap(faultsOfEvent);
}
