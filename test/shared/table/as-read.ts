import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { fromAttributes, toAttributes } from "../../../shared/table/attributes.ts";

/** The item as it comes back from DynamoDB, whose maps have no order: here the last name comes first. */
export function asRead(item: object): Record<string, unknown> {
  return fromAttributes(reversed(toAttributes(item)));
}

function reversed(fields: Record<string, AttributeValue>): Record<string, AttributeValue> {
  const entries = Object.entries(fields).sort(([left], [right]) => (left < right ? 1 : -1));
  return Object.fromEntries(entries.map(([name, value]) => [name, reversedInside(value)]));
}

function reversedInside(value: AttributeValue): AttributeValue {
  if (value.M !== undefined) return { M: reversed(value.M) };
  return value.L === undefined ? value : { L: value.L.map(reversedInside) };
}
