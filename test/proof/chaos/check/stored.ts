import { isSame } from "./amounts.ts";
import { groupBy, isAcknowledged, plainId, type Statement } from "./evidence.ts";
import { isSameFact } from "./facts.ts";
import type { Seen } from "./rule.ts";

/**
 * The callbacks that Paycast has stored. An acknowledgement shows it. If the response was lost after the callback was
 * stored, an event that names the callback shows it or, for an unreadable callback, the attention list. A callback that
 * appears in neither has changed nothing, because each change of an order is published.
 */
export function storedStatements({ evidence, statements, events }: Seen): Statement[] {
  const published = groupBy(events, ({ callbackId }) => plainId(callbackId));
  const listed = new Set(evidence.ending.needsPerson.map(({ callbackId }) => plainId(callbackId)));
  const isEvident = ({ opened, fact }: Statement) => {
    const id = plainId(opened.id);
    if (fact === undefined) return listed.has(id);
    return (published.get(id) ?? []).some(
      (event) =>
        isSameFact(event.fact, fact) &&
        event.fact.transactionId === fact.transactionId &&
        isSame(event.fact.amount, fact.amount),
    );
  };
  return statements.filter((statement) => isAcknowledged(statement.post) || isEvident(statement));
}
