import { aggregateKeyOf } from "../../shared/facts/subject.ts";
import { loadOrderByKey } from "../../shared/orders/aggregate-store.ts";
import { byDueIndex, dueShards } from "../../shared/orders/due.ts";
import { queryPage } from "../../shared/table/query-index.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";

const mostPerShard = 50;

/** A payment of the merchant that the service knows, at a bounded cost: one small query per shard of the index. */
export async function findKnownPayment(
  target: Target,
  merchantId: string,
): Promise<string | undefined> {
  const database = databaseOf(target);
  const { orders: table } = target.tables;
  const prefix = aggregateKeyOf({ kind: "order", merchantId, orderNo: "" });
  for (const dueShard of dueShards) {
    const query = { table, index: byDueIndex, partition: { dueShard }, newestFirst: true };
    const keys = (await queryPage(database, query, mostPerShard)).map(({ aggregateKey }) =>
      String(aggregateKey),
    );
    const key = keys.find((one) => one.startsWith(prefix));
    const order = key && (await loadOrderByKey(database, table, key));
    const paymentId = order ? order.paymentIds.at(-1) : undefined;
    if (paymentId !== undefined) return paymentId;
  }
  return undefined;
}
