import {
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { laneEntry } from "../fan-out/lane.ts";
import { PaycastError } from "../paycast-error.ts";
import { fromAttributes, toAttribute, toAttributes } from "../table/attributes.ts";
import { type CallbackRecord, callbackRecordSchema } from "./callback-record.ts";
import type { Plan } from "./plan-receipt.ts";

export interface Tables {
  readonly callbacks: string;
  readonly orders: string;
}

/** `recorded`: this receipt has been written before. `lost-race`: the order moved on meanwhile. */
export type Commit =
  | { readonly kind: "committed" }
  | { readonly kind: "recorded"; readonly record: CallbackRecord }
  | { readonly kind: "lost-race" };

const receiptIsNew = "attribute_not_exists(callbackKey)";
const orderHasNoFactYet = "attribute_not_exists(version) AND attribute_not_exists(linkedTo)";
const orderIsAsRead = "version = :read AND attribute_not_exists(linkedTo)";

/** Writes the record and the order's snapshot together, or nothing. */
export async function commitPlan(
  client: DynamoDBClient,
  tables: Tables,
  plan: Plan,
): Promise<Commit> {
  const items = [putRecord(tables, plan.record), ...updateOrder(tables, plan)];
  try {
    await client.send(new TransactWriteItemsCommand({ TransactItems: items }));
    return { kind: "committed" };
  } catch (error) {
    if (error instanceof TransactionCanceledException) return readCancellation(error);
    throw isTooLarge(error) ? recordTooLarge(error) : error;
  }
}

function putRecord(tables: Tables, record: CallbackRecord): TransactWriteItem {
  const { pending, held, ...fields } = record;
  return {
    Put: {
      TableName: tables.callbacks,
      Item: toAttributes({ ...fields, pending: new Set(pending), held: new Set(held) }),
      ConditionExpression: receiptIsNew,
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    },
  };
}

/** Sets what facts decide and leaves alone what create-order wrote beside it. */
function updateOrder(tables: Tables, { order, record }: Plan): TransactWriteItem[] {
  if (order === undefined) return [];
  const read = order.version - 1;
  const { merchantId, orderNo, version, status, payment, refunds, facts, flags } = order;
  const fields = { merchantId, orderNo, version, status, payment, refunds, facts, flags };
  const stored = Object.entries(toAttributes(fields));
  // Only what is new: an entry that deliver-pending has taken out meanwhile must stay out.
  const behind = new Set(record.held.map((name) => laneEntry(name, version)));
  const sets = { paymentIds: new Set(order.paymentIds), paidBy: new Set(order.paidBy), behind };
  const added = Object.entries(toAttributes(sets));
  const adding = added.map(([name]) => `${name} :${name}`).join(", ");
  const setting = stored.map(([name]) => `#${name} = :${name}`).join(", ");
  return [
    {
      Update: {
        TableName: tables.orders,
        Key: { orderKey: { S: order.orderKey } },
        UpdateExpression: `SET ${setting}${adding && ` ADD ${adding}`}`,
        ConditionExpression: read === 0 ? orderHasNoFactYet : orderIsAsRead,
        ExpressionAttributeNames: Object.fromEntries(stored.map(([name]) => [`#${name}`, name])),
        ExpressionAttributeValues: {
          ...Object.fromEntries([...stored, ...added].map(([name, value]) => [`:${name}`, value])),
          ...(read > 0 && { ":read": toAttribute(read) }),
        },
      },
    },
  ];
}

function readCancellation(error: TransactionCanceledException): Commit {
  const reasons = error.CancellationReasons ?? [];
  const [ofRecord, ofOrder] = reasons;
  if (ofRecord?.Code === "ConditionalCheckFailed" && ofRecord.Item !== undefined) {
    return { kind: "recorded", record: callbackRecordSchema.parse(fromAttributes(ofRecord.Item)) };
  }
  const codes = reasons.map((reason) => reason.Code);
  if (ofOrder?.Code === "ConditionalCheckFailed" || codes.includes("TransactionConflict")) {
    return { kind: "lost-race" };
  }
  const isSize = reasons.some(({ Message }) => speaksOfSize(Message));
  throw isSize ? recordTooLarge(error) : error;
}

/** An item takes 400 KB. Any other request that is invalid is a fault of ours, and waits for its fix in the inbox. */
function isTooLarge(error: unknown): boolean {
  return (
    error instanceof Error && error.name === "ValidationException" && speaksOfSize(error.message)
  );
}

function speaksOfSize(message: string | undefined): boolean {
  return /item size|size limit|maximum allowed size/i.test(message ?? "");
}

function recordTooLarge(cause: unknown): PaycastError {
  return new PaycastError("record-too-large", "DynamoDB cannot hold the record.", { cause });
}
