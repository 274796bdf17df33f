import { randomUUID } from "node:crypto";
import type { Database } from "../table/database.ts";
import { itemFormat } from "../table/item-format.ts";
import { putItems } from "../table/put-items.ts";
import { runLeaseMilliseconds } from "../timing.ts";

/** An item in the orders table. No order or payment can have this key, because it has no `#order#` or `#payment#`. */
export const leaseKey = "lease#reconcile-orders";
const isFree = "attribute_not_exists(aggregateKey) OR endsAtMilliseconds <= :now";

/**
 * Whether this run may start. EventBridge may deliver a tick twice, and two runs would query at twice the rate. The
 * lease ends by itself, shortly after the function's timeout and before the next tick, so a crash needs no cleanup.
 */
export async function takeLease(database: Database, table: string): Promise<boolean> {
  const now = database.now();
  const item = {
    aggregateKey: leaseKey,
    kind: "lease",
    itemFormat,
    // Two runs in the same millisecond must not take each other's lease for their own.
    takenBy: randomUUID(),
    endsAtMilliseconds: now + runLeaseMilliseconds,
  };
  const outcome = await putItems(database, [{ table, item, condition: isFree, values: { now } }]);
  return outcome.kind === "written";
}
