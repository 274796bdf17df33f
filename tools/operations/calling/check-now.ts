import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { aggregateKeyOf } from "../../../shared/facts/subject.ts";
import { loadOrder, retryOnContention } from "../../../shared/orders/aggregate-store.ts";
import { dueAtOnce } from "../../../shared/orders/due.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { updateItem } from "../../../shared/table/items.ts";
import type { Target } from "../ports/target.ts";

export interface CheckNow {
  readonly merchantId: string;
  readonly orderNo: string;
}

/**
 * Makes an order due now, so that the next run of reconcile-orders queries the service about it. An order without a
 * next check gets one. Returns the order as it is then stored. Throws `nothing-stored` if there is nothing to query.
 */
export async function checkNow(
  target: Pick<Target, "clock" | "orders" | "audit">,
  name: CheckNow,
): Promise<Order> {
  const { merchantId, orderNo } = name;
  const { database, table } = target.orders;
  const load = () => loadOrder(database, table, merchantId, orderNo);
  refuseUnlessAskable(await load());
  await target.audit.write("check-now", { merchantId, orderNo });
  return await retryOnContention(database, async () => {
    const order = await load();
    const due = dueAtOnce(order, target.clock.now());
    return due === order || (await saveDue(target, due, order.dueAtMilliseconds)) ? due : undefined;
  });
}

function refuseUnlessAskable({ creation, paymentIds }: Order): void {
  if (creation === undefined || paymentIds.length === 0) {
    throw new PaycastError("nothing-stored", noPayment);
  }
}

const noPayment =
  "The order has no payment id of its own, so the payment service cannot be queried about it.";

/**
 * Writes nothing but the due time: the policy for operators allows these attributes and no other. A function that
 * changes the order at the same time may replace the due time by its own. False if the due time is another than before.
 */
async function saveDue(
  target: Pick<Target, "orders">,
  order: Order,
  before: number | undefined,
): Promise<boolean> {
  const { merchantId, orderNo, dueAtMilliseconds, dueShard } = order;
  return await updateItem(target.orders.database, {
    table: target.orders.table,
    key: { aggregateKey: aggregateKeyOf({ kind: "order", merchantId, orderNo }) },
    expression: "SET dueAtMilliseconds = :due, dueShard = :shard",
    condition:
      before === undefined
        ? "attribute_exists(aggregateKey) AND attribute_not_exists(dueAtMilliseconds)"
        : "dueAtMilliseconds = :before",
    values: {
      due: dueAtMilliseconds,
      shard: dueShard,
      ...(before !== undefined && { before }),
    },
  });
}
