import { sum } from "../figures.ts";
import type { Evidence } from "./evidence.ts";
import type { Look } from "./rule.ts";

/**
 * What had not come to its end when the patience was over. That is a fault, unless the machine was busy for at least half
 * of the time: then it may only have been slow.
 */
export function looksAtRest({ ending, busy }: Evidence): Look[] {
  const { unrest, unsettled, waited } = ending;
  const isBusy = busyShareOf(waited, busy) >= 0.5;
  const look = (orderNo: string | undefined, message: string): Look =>
    isBusy ? { orderNo, wrong: [], unjudged: [message] } : { orderNo, wrong: [message] };
  return [
    ...(unrest === undefined ? [] : [look(undefined, unrest)]),
    ...[...unsettled].map(([orderNo, { status, answer }]) =>
      look(orderNo, `no final answer; the last one is ${status ?? "none"} ${answer.slice(0, 200)}`),
    ),
  ];
}

function busyShareOf(waited: Evidence["ending"]["waited"], busy: Evidence["busy"]): number {
  const { fromMilliseconds, untilMilliseconds } = waited;
  const times = busy.map((one) => {
    const end = Math.min(one.untilMilliseconds, untilMilliseconds);
    return Math.max(0, end - Math.max(one.fromMilliseconds, fromMilliseconds));
  });
  return sum(times) / Math.max(1, untilMilliseconds - fromMilliseconds);
}
