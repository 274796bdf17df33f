import { leaseKey } from "../../shared/reconciling/take-lease.ts";
import { putItem } from "../integration/aws-stores.ts";
import type { OperatedStack } from "../operations/operated-stack.ts";

/** For so long the stack's own runs of reconcile-orders find a lease, and leave the orders of a test alone. */
export async function keepRunsAway({ target }: OperatedStack, milliseconds: number): Promise<void> {
  const { clients, tables } = target();
  const endsAtMilliseconds = Date.now() + milliseconds;
  const lease = { aggregateKey: leaseKey, kind: "lease", endsAtMilliseconds };
  await putItem(clients.dynamodb, tables.orders, lease);
}
