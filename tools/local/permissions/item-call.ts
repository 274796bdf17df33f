import * as z from "zod";

const attributeValue = z.record(z.string(), z.unknown());
const attributeMap = z.record(z.string(), attributeValue);
const ignored = z.unknown().optional();

/**
 * The parameters of an item call, a query or a part of a transaction. An unlisted parameter could name attributes or
 * keys in another way, as the legacy ones do (AttributesToGet, KeyConditions), so such a call is denied.
 */
export const itemCall = z.strictObject({
  TableName: z.string(),
  IndexName: z.string().optional(),
  Key: attributeMap.optional(),
  Item: attributeMap.optional(),
  UpdateExpression: z.string().default(""),
  ConditionExpression: z.string().default(""),
  KeyConditionExpression: z.string().default(""),
  ProjectionExpression: z.string().default(""),
  FilterExpression: z.string().default(""),
  ExpressionAttributeNames: z.record(z.string(), z.string()).default({}),
  ExpressionAttributeValues: attributeMap.default({}),
  ReturnValues: z.string().optional(),
  ConsistentRead: ignored,
  ExclusiveStartKey: ignored,
  Limit: ignored,
  ReturnConsumedCapacity: ignored,
  ReturnValuesOnConditionCheckFailure: ignored,
  ScanIndexForward: ignored,
  Segment: ignored,
  Select: ignored,
  TotalSegments: ignored,
});
export type ItemCall = z.output<typeof itemCall>;

const keywords = new Set("SET REMOVE ADD DELETE AND OR NOT BETWEEN IN".split(" "));

/** A name of an attribute, a placeholder of one, or a function with its parenthesis. */
const word = /(?<![\w#:.])(?:#\w+|[A-Za-z_]\w*)(?:\s*\()?/g;

/** The top-level attributes in a call's key, item and expressions. */
export function attributesIn(call: ItemCall): readonly string[] {
  const { Key = {}, Item = {}, ExpressionAttributeNames: names } = call;
  const expressions = [
    call.UpdateExpression,
    call.ConditionExpression,
    call.KeyConditionExpression,
    call.ProjectionExpression,
    call.FilterExpression,
  ];
  const named = expressions
    .flatMap((expression) => expression.match(word) ?? [])
    .filter((found) => !found.endsWith("(") && !keywords.has(found.toUpperCase()))
    .map((found) => names[found] ?? found);
  return [...new Set([...Object.keys(Key), ...Object.keys(Item), ...named])];
}

/** The value of the call's partition key. Undefined if it has none. */
export function leadingKeyIn(call: ItemCall, partitionKey: string): string | undefined {
  const stored = (call.Key ?? call.Item)?.[partitionKey] ?? comparedTo(call, partitionKey);
  const [value] = Object.values(stored ?? {});
  return value === undefined ? undefined : String(value);
}

/** "#pk = :value" in the condition of a query. */
function comparedTo(call: ItemCall, partitionKey: string) {
  const { KeyConditionExpression, ExpressionAttributeNames: names } = call;
  for (const [, name = "", value = ""] of KeyConditionExpression.matchAll(
    /(#?\w+)\s*=\s*(:\w+)/g,
  )) {
    if ((names[name] ?? name) === partitionKey) return call.ExpressionAttributeValues[value];
  }
  return undefined;
}
