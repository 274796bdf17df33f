import { sum } from "../figures.ts";
import type { Evidence } from "./evidence.ts";
import { isCurrent } from "./is-current.ts";
import type { Look } from "./rule.ts";

/**
 * Work that was not finished when the waiting time ended. That is a fault, unless the machine was busy for at least
 * half of the time: then it may only be slow. A current response that keeps changing is not slow.
 */
export function looksAtRest({ ending, busy }: Evidence): Look[] {
  const { unrest, unsettled, unsent, waited } = ending;
  const isBusy = busyShareOf(waited, busy) >= 0.5;
  const look = (orderNo: string | undefined, message: string, canBeSlow: boolean): Look =>
    isBusy && canBeSlow
      ? { orderNo, wrong: [], unjudged: [message] }
      : { orderNo, wrong: [message] };
  const answered = [...unsettled].map(([orderNo, last]) => {
    const message = `no final response; the last one is ${last.status ?? "none"} ${last.answer.slice(0, 200)}`;
    return look(orderNo, message, !isCurrent(last));
  });
  const pending = unsent > 0 ? [`${unsent} records have an event that nobody sends`] : [];
  const stuck = pending.map((message) => look(undefined, message, false));
  const restless = unrest === undefined ? [] : [look(undefined, unrest, true)];
  return [...restless, ...stuck, ...answered];
}

function busyShareOf(waited: Evidence["ending"]["waited"], busy: Evidence["busy"]): number {
  const { fromMilliseconds, untilMilliseconds } = waited;
  const times = busy.map((busyTime) => {
    const end = Math.min(busyTime.untilMilliseconds, untilMilliseconds);
    return Math.max(0, end - Math.max(busyTime.fromMilliseconds, fromMilliseconds));
  });
  return sum(times) / Math.max(1, untilMilliseconds - fromMilliseconds);
}
