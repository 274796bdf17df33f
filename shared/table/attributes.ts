import type { AttributeValue } from "@aws-sdk/client-dynamodb";

/** A plain value as DynamoDB stores it. Numbers must be safe integers: money is kept as text. */
export function toAttribute(value: unknown): AttributeValue {
  if (typeof value === "string") return { S: value };
  if (typeof value === "boolean") return { BOOL: value };
  if (typeof value === "number" && Number.isSafeInteger(value)) return { N: String(value) };
  if (value instanceof Set) return { SS: [...value].map(String) };
  if (Array.isArray(value)) return { L: value.map(toAttribute) };
  if (typeof value === "object" && value !== null) return { M: toAttributes(value) };
  throw new TypeError(`A ${typeof value} cannot be stored.`);
}

/** Fields that are undefined, and empty sets, which DynamoDB refuses, are left out. */
export function toAttributes(fields: object): Record<string, AttributeValue> {
  const stored = Object.entries(fields).filter(
    ([, value]) => value !== undefined && !(value instanceof Set && value.size === 0),
  );
  return Object.fromEntries(stored.map(([name, value]) => [name, toAttribute(value)]));
}

export function fromAttributes(item: Record<string, AttributeValue>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, fromAttribute(value)]),
  );
}

/** Sets come back as arrays. */
function fromAttribute(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.SS !== undefined) return value.SS;
  if (value.L !== undefined) return value.L.map(fromAttribute);
  if (value.M !== undefined) return fromAttributes(value.M);
  return undefined;
}
