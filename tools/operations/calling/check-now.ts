import { loadOrder, retryOnContention, saveOrder } from "../../../shared/orders/aggregate-store.ts";
import { dueNow } from "../../../shared/orders/due.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { databaseOf, type Target } from "../target/target.ts";

export interface CheckNow {
  readonly merchantId: string;
  readonly orderNo: string;
}

/**
 * Moves an order's next check to now, so that the next run of reconcile-orders asks the service about it. Throws
 * `nothing-stored` if the order has no next check: then there is nothing to ask, or its end is known.
 */
export async function checkNow(target: Target, { merchantId, orderNo }: CheckNow): Promise<void> {
  await target.audit("check-now", { merchantId, orderNo });
  const database = databaseOf(target);
  const { orders: table } = target.tables;
  await retryOnContention(database, async () => {
    const order = await loadOrder(database, table, merchantId, orderNo);
    if (order.dueAtMilliseconds === undefined) {
      throw new PaycastError("nothing-stored", "The order waits for no check.");
    }
    return await saveOrder(database, table, dueNow(order, target.now()));
  });
}
