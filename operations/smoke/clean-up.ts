import { DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import { aggregateKeyOf } from "../../shared/facts/subject.ts";
import { firstReceipt } from "../../shared/records/callback-record.ts";
import { toAttributes } from "../../shared/table/attributes.ts";
import type { Target } from "../target/target.ts";

/** What identifies everything that one smoke test leaves in the tables. */
export interface SmokeTrace {
  readonly merchantId: string;
  readonly orderNo: string;
  readonly callbackId: string | undefined;
}

/** The key of the callback's record: the default profile signs the id. */
export function recordKeyOf({ merchantId, callbackId = "" }: SmokeTrace) {
  const id = callbackId.replaceAll("-", "").toLowerCase();
  return { callbackKey: `${merchantId}#callback#${id}`, receipt: firstReceipt };
}

/**
 * Deletes a smoke test's record and order. Both keys begin with the merchant of smoke tests, so nothing of a real order
 * can be deleted.
 */
export async function cleanUp(target: Target, trace: SmokeTrace): Promise<void> {
  const { merchantId, orderNo } = trace;
  const aggregateKey = aggregateKeyOf({ kind: "order", merchantId, orderNo });
  await Promise.all([
    deleteItem(target, target.tables.callbacks, recordKeyOf(trace)),
    deleteItem(target, target.tables.orders, { aggregateKey }),
  ]);
}

async function deleteItem({ clients }: Target, TableName: string, key: Record<string, string>) {
  await clients.dynamodb.send(new DeleteItemCommand({ TableName, Key: toAttributes(key) }));
}
