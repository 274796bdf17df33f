import * as z from "zod";
import { describeIssues } from "../../../shared/errors/describe-issues.ts";
import { localPlace } from "../aws/local-account.ts";
import type { Requirement } from "./evaluate.ts";
import { attributesIn, type ItemCall, itemCall, leadingKeyIn } from "./item-call.ts";
import { unjudged } from "./unjudged.ts";

/** The partition keys of the tables and their indexes, by "TABLE" and "TABLE/index/INDEX". */
export type PartitionKeys = ReadonlyMap<string, string>;

interface DynamodbCall {
  readonly operation: string;
  readonly input: unknown;
}

/** A part of a transaction needs the permission of the single operation. */
const partActions: Readonly<Record<string, string>> = {
  Get: "GetItem",
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "ConditionCheckItem",
};

export function dynamodbRequirements(
  call: DynamodbCall,
  keys: PartitionKeys,
): readonly Requirement[] {
  switch (call.operation) {
    case "GetItem":
    case "PutItem":
    case "UpdateItem":
    case "DeleteItem":
    case "Query":
    case "Scan":
      return [requirementOf(call.operation, [read(itemCall, call)], keys)];
    case "TransactGetItems":
    case "TransactWriteItems":
      return read(transaction, call).TransactItems.flatMap((parts) =>
        Object.entries(parts).map(([kind, part]) =>
          requirementOf(partActions[kind] ?? kind, [part], keys),
        ),
      );
    case "BatchGetItem":
      return Object.entries(read(batchGet, call).RequestItems).map(([table, { Keys, ...rest }]) =>
        requirementOf(call.operation, callsOf(table, Keys, rest), keys),
      );
    case "BatchWriteItem":
      return Object.entries(read(batchWrite, call).RequestItems).map(([table, writes]) =>
        requirementOf(
          call.operation,
          writes.map((write) => asItemCall(table, write)),
          keys,
        ),
      );
    default:
      throw unjudged(`the operation ${call.operation}`);
  }
}

const ignored = z.unknown().optional();
const { Key, Item, ProjectionExpression, ExpressionAttributeNames, ConsistentRead } =
  itemCall.shape;

const transaction = z.strictObject({
  TransactItems: z.array(z.record(z.string(), itemCall)),
  ClientRequestToken: ignored,
  ReturnConsumedCapacity: ignored,
});
const batchGet = z.strictObject({
  RequestItems: z.record(
    z.string(),
    z.strictObject({
      Keys: z.array(Key.unwrap()),
      ProjectionExpression,
      ExpressionAttributeNames,
      ConsistentRead,
    }),
  ),
  ReturnConsumedCapacity: ignored,
});
const batchWrite = z.strictObject({
  RequestItems: z.record(
    z.string(),
    z.array(
      z.strictObject({
        PutRequest: z.strictObject({ Item }).optional(),
        DeleteRequest: z.strictObject({ Key }).optional(),
      }),
    ),
  ),
  ReturnConsumedCapacity: ignored,
});

type Write = z.output<typeof batchWrite>["RequestItems"][string][number];

function asItemCall(TableName: string, { PutRequest, DeleteRequest }: Write): ItemCall {
  return itemCall.parse({ TableName, Item: PutRequest?.Item, Key: DeleteRequest?.Key });
}

function callsOf(
  TableName: string,
  items: readonly NonNullable<ItemCall["Key"]>[],
  rest: object,
): readonly ItemCall[] {
  return items.map((item) => itemCall.parse({ TableName, Key: item, ...rest }));
}

function read<Output>(schema: z.ZodType<Output>, { operation, input }: DynamodbCall): Output {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw unjudged(`this ${operation} (${describeIssues(parsed.error, "it")})`);
}

/** The parameters that may name the item of a call, if not the key alone. A query or a scan names no item. */
const itemNames: Readonly<Record<string, readonly string[]>> = {
  PutItem: ["Item"],
  BatchWriteItem: ["Item", "Key"],
  Query: [""],
  Scan: [""],
};

/** A call with a key that DynamoDB ignores would be judged by that key. */
function expectOneName(operation: string, call: ItemCall): void {
  const named = (["Item", "Key"] as const).filter((name) => call[name] !== undefined).join(" and ");
  const isKnown = (itemNames[operation] ?? ["Key"]).includes(named);
  if (!isKnown) throw unjudged(`a ${operation} with ${named || "no key"}`);
}

/** The combined requirement of calls on one table or one of its indexes. */
function requirementOf(
  operation: string,
  calls: readonly ItemCall[],
  keys: PartitionKeys,
): Requirement {
  const [first] = calls;
  if (first === undefined) throw unjudged(`a ${operation} of no item`);
  for (const call of calls) expectOneName(operation, call);
  const { TableName, IndexName, ReturnValues } = first;
  const table = TableName.replace(/^arn:.*:table\//, "");
  const place = IndexName === undefined ? table : `${table}/index/${IndexName}`;
  const partitionKey = keys.get(place);
  const leading = calls.flatMap((call) =>
    partitionKey === undefined ? [] : (leadingKeyIn(call, partitionKey) ?? []),
  );
  return {
    action: `dynamodb:${operation}`,
    resource: `arn:${partition}:dynamodb:${region}:${accountId}:table/${place}`,
    context: {
      "dynamodb:Attributes": calls.flatMap(attributesIn),
      "dynamodb:LeadingKeys": leading,
      "dynamodb:ReturnValues": ReturnValues === undefined ? undefined : [ReturnValues],
    },
  };
}

const { partition, region, accountId } = localPlace;
