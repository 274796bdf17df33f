import { isPaymentKnown } from "./answers.ts";
import { contextOf } from "./context.ts";
import { groupBy } from "./evidence.ts";
import { excused, type Look, type Rule } from "./rule.ts";

/** If a query fails, the next check of an older order can come hours later. */
const youngMilliseconds = 10 * 3_600_000;

/** Statuses after which nothing more is expected. */
const ends = ["timeout", "failed", "success"];

/**
 * Reconciliation must publish the end of an order before the run reads it, however many callbacks were lost. The end of
 * a young order must be published within two hours, unless the payment service itself knows it only later.
 */
export const overdueIsFound: Rule = (seen) => {
  const { ending, orders } = seen.evidence;
  const context = contextOf(seen);
  const events = groupBy(seen.events, ({ fact }) => fact.orderNo ?? "");
  // It was published, although its queue did not take it.
  const givenUp = (id: string) =>
    Math.min(
      ...ending.givenUp
        .filter(({ eventId }) => eventId === id)
        .map(({ atMilliseconds }) => atMilliseconds),
    );
  return orders.flatMap((made): Look[] => {
    const { orderNo } = made;
    const ended = context.booksOf(orderNo).filter(({ status }) => ends.includes(status));
    if (!made.isOurs || ended.length === 0) return [];
    const calls = context.callsOf(orderNo);
    if (!isPaymentKnown(made, calls, ending.answers.get(orderNo))) {
      return [excused(orderNo, "its payment was never known")];
    }
    const publishedBefore = (milliseconds: number) =>
      (events.get(orderNo) ?? [])
        .filter(({ id, received }) => Math.min(received.atMilliseconds, givenUp(id)) < milliseconds)
        .map(({ fact }) => fact.status);
    const published = publishedBefore(ending.asksFromMilliseconds);
    const missing = ended.filter(({ status }) => !published.includes(status));
    const early = publishedBefore(ending.checkedMilliseconds);
    const firstCall = Math.min(...calls.map(({ atMilliseconds }) => atMilliseconds));
    const isOld = ending.checkedMilliseconds - firstCall > youngMilliseconds;
    const mayBeLate = made.endsLate || isOld;
    const isInTime = early.some((status) => ends.includes(status));
    if (missing.length === 0 && !isInTime && mayBeLate) {
      return [excused(orderNo, "its first check may come later")];
    }
    return [
      {
        orderNo,
        wrong: [
          ...missing.map(({ status }) => `the status ${status} was never published`),
          ...(isInTime || mayBeLate ? [] : ["no end was published within two hours"]),
        ],
      },
    ];
  });
};
