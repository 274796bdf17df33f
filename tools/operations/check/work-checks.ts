import { byDueIndex, dueShards } from "../../../shared/orders/due.ts";
import { queryPartition } from "../../../shared/table/query-index.ts";
import { counted } from "../../../shared/text/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { readAttention } from "../overview/read-attention.ts";
import { refusingText } from "../overview/refusing.ts";
import { isAvailable } from "../ports/available.ts";
import { findFunction } from "../ports/functions.ts";
import type { Target } from "../ports/target.ts";
import { stackOption } from "../stack-option.ts";
import { type Check, faultIf, faultsOr, ok, problem, type Verdict, warning } from "./finding.ts";

/** What needs attention now, and which subscribers' queues reject events. */
export const attentionCheck: Check = {
  name: "attention",
  run: async (target) => {
    const { quarantined, notice, isMore, subscribers } = await readAttention(target);
    const stack = stackOption(target.stack);
    const notUnderstood = problem(
      `${isMore ? "At least " : ""}${counted(quarantined, "callback")} not understood.`,
      `See why: npx paycast attention list --kind quarantined${stack}`,
    );
    const refusing = Object.entries(subscribers).map(([name, subscriber]) =>
      problem(
        `${name} ${refusingText(subscriber)}.`,
        subscriber.givenUp === 0
          ? "Restore the queue. Paycast retries the events that wait."
          : `Restore the queue, then: npx paycast attention redrive --subscriber ${name}${stack}`,
      ),
    );
    const unusual = warning(
      `${isMore ? "At least " : ""}${counted(notice, "notice")} about unusual payments or orders.`,
      `See which: npx paycast attention list --kind notice${stack}`,
    );
    const faults = [
      ...faultIf(quarantined > 0, notUnderstood),
      ...refusing,
      ...faultIf(notice > 0, unusual),
    ];
    return faultsOr(faults, "nothing needs attention");
  },
};

/** Many runs of the schedule: an order that is due for longer is not being queried. */
const patienceMilliseconds = 3_600_000;
/** It is enough to know that there are many. Reading them all could take long. */
const mostCounted = 1_000;

/** Orders without a callback that Paycast has not queried in time. */
export const overdueCheck: Check = {
  name: "overdue orders",
  run: async (target) => {
    const count = await countOverdue(target, target.clock.now() - patienceMilliseconds);
    const orders = count === mostCounted ? `${count} or more orders` : counted(count, "order");
    const message = `${orders} have been due for a query to the payment service for an hour or more.`;
    const action =
      "Read the log of reconcile-orders. It catches up automatically when the payment service responds.";
    return faultsOr(faultIf(count > 0, warning(message, action)), "none");
  },
};

async function countOverdue(target: Pick<Target, "orders">, until: number): Promise<number> {
  let count = 0;
  for (const dueShard of dueShards) {
    const query = {
      table: target.orders.table,
      index: byDueIndex,
      partition: { dueShard },
      range: { name: "dueAtMilliseconds", from: 0, until },
    };
    for await (const _order of queryPartition(target.orders.database, query)) {
      count += 1;
      if (count === mostCounted) return count;
    }
  }
  return count;
}

/** Rejected callbacks contain encrypted payment data, so a warning says that they are kept. */
export function captureCheck({ queues }: Pick<Target, "queues">): readonly Check[] {
  if (!isAvailable(queues.captured)) return [];
  return [
    {
      name: "captured callbacks",
      run: async (target) => [captureVerdict(endOf(target), target.clock.now())],
    },
  ];
}

function endOf({ functions }: Pick<Target, "functions">): number {
  const receive = findFunction(functions, "receive-callback");
  return Number(receive?.environment["CAPTURE_UNTIL_MILLISECONDS"]);
}

function captureVerdict(endMilliseconds: number, now: number): Verdict {
  if (Number.isNaN(endMilliseconds)) return ok("end time not known");
  const end = toRfc3339(endMilliseconds);
  if (endMilliseconds <= now) return ok(`capturing ended at ${end}`);
  return warning(
    `Rejected callbacks are captured until ${end}.`,
    "Remove callbacks.captureUntil from the config when you have found the cause.",
  );
}
