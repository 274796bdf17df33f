import { randomUUID } from "node:crypto";
import type { Database } from "../table/database.ts";
import { putItems } from "../table/put-items.ts";
import { runLeaseMilliseconds } from "../timing.ts";

/** An item beside the orders. Its key has no `#order#` or `#payment#`, so no order and no payment can have it. */
export const leaseKey = "lease#reconcile-orders";
const isFree = "attribute_not_exists(aggregateKey) OR endsAtMilliseconds <= :now";

/**
 * Whether this run may begin. EventBridge may deliver a tick twice, and two runs would ask twice as fast. The lease
 * ends by itself, shortly after the function's timeout and before the next tick, so a crash needs no cleaning up.
 */
export async function takeLease(database: Database, table: string): Promise<boolean> {
  const now = database.now();
  const item = {
    aggregateKey: leaseKey,
    kind: "lease",
    // Two runs of one millisecond must not take the other's lease for their own.
    takenBy: randomUUID(),
    endsAtMilliseconds: now + runLeaseMilliseconds,
  };
  const outcome = await putItems(database, [{ table, item, condition: isFree, values: { now } }]);
  return outcome.kind === "written";
}
