import { isPaymentKnown } from "./answers.ts";
import { contextOf } from "./context.ts";
import { groupBy } from "./evidence.ts";
import { excused, type Look, type Rule } from "./rule.ts";

/** Statuses after which nothing more is expected. */
const ends = ["timeout", "failed", "success"];

/** Reconciliation must publish the end of each order before the run queries it, however many callbacks were lost. */
export const overdueIsFound: Rule = (seen) => {
  const { ending, orders } = seen.evidence;
  const context = contextOf(seen);
  const inTime = seen.events.filter(
    ({ received }) => received.atMilliseconds < ending.asksFromMilliseconds,
  );
  const events = groupBy(inTime, ({ fact }) => fact.orderNo ?? "");
  return orders.flatMap((made): Look[] => {
    const { orderNo } = made;
    const ended = context.booksOf(orderNo).filter(({ status }) => ends.includes(status));
    if (!made.isOurs || ended.length === 0) return [];
    const calls = context.callsOf(orderNo);
    if (!isPaymentKnown(made, calls, ending.answers.get(orderNo))) {
      return [excused(orderNo, "its payment was never known")];
    }
    const published = (events.get(orderNo) ?? []).map(({ fact }) => fact.status);
    const missing = ended.filter(({ status }) => !published.includes(status));
    return [
      { orderNo, wrong: missing.map(({ status }) => `the status ${status} was never published`) },
    ];
  });
};
