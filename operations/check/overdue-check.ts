import { byDueIndex, dueShards } from "../../shared/orders/due.ts";
import { queryPartition } from "../../shared/table/query-index.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";
import { type Check, ok, warning } from "./finding.ts";

/** Many runs of the schedule: an order that is due for longer is not being asked about. */
const patienceMilliseconds = 3_600_000;
/** To know that there are many is enough, and reading them all could take long. */
const mostCounted = 1_000;

/** Orders whose callback did not come and about which nobody has asked the service in time. */
export const overdueCheck: Check = {
  name: "overdue orders",
  run: async (target, { now }) => {
    const count = await countOverdue(target, now() - patienceMilliseconds);
    if (count === 0) return [ok("none")];
    return [
      warning(
        `${countText(count)} should have been asked about at the payment service an hour ago or earlier.`,
        "Read the log of reconcile-orders. It catches up by itself once the service answers.",
      ),
    ];
  },
};

function countText(count: number): string {
  if (count === 1) return "1 order";
  return count === mostCounted ? `${count} or more orders` : `${count} orders`;
}

async function countOverdue(target: Target, until: number): Promise<number> {
  let count = 0;
  for (const dueShard of dueShards) {
    const query = {
      table: target.tables.orders,
      index: byDueIndex,
      partition: { dueShard },
      range: { name: "dueAtMilliseconds", from: 0, until },
    };
    for await (const _order of queryPartition(databaseOf(target), query)) {
      count += 1;
      if (count === mostCounted) return count;
    }
  }
  return count;
}
