import { Buffer } from "node:buffer";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type * as z from "zod/mini";

/** A plain value as DynamoDB stores it. Numbers must be safe integers: money is stored as text. */
export function toAttribute(value: unknown): AttributeValue {
  if (typeof value === "string") return { S: value };
  if (typeof value === "boolean") return { BOOL: value };
  if (typeof value === "number" && Number.isSafeInteger(value)) return { N: String(value) };
  if (value instanceof Set) return { SS: [...value].map(String) };
  if (Array.isArray(value)) return { L: value.map(toAttribute) };
  if (typeof value === "object" && value !== null) return { M: toAttributes(value) };
  throw new TypeError(`A ${typeof value} cannot be stored.`);
}

/** Omits undefined fields, and empty sets, which DynamoDB rejects. */
export function toAttributes(fields: object): Record<string, AttributeValue> {
  const stored = Object.entries(fields).filter(
    ([, value]) => value !== undefined && !(value instanceof Set && value.size === 0),
  );
  return Object.fromEntries(stored.map(([name, value]) => [name, toAttribute(value)]));
}

/** The values of an expression, by their names without the colon. */
export function namedValues(
  values: Readonly<Record<string, unknown>>,
): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`:${name}`, toAttribute(value)]),
  );
}

export function fromAttributes(item: Record<string, AttributeValue>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, fromAttribute(value)]),
  );
}

/** Sets are returned as arrays. */
function fromAttribute(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.SS !== undefined) return value.SS;
  if (value.L !== undefined) return value.L.map(fromAttribute);
  if (value.M !== undefined) return fromAttributes(value.M);
  return undefined;
}

/**
 * Validates an item from a table. Fields that this version does not know stay at any depth: a newer version may have
 * written them, and they must survive the next write. Known fields come first, in the schema's order, because DynamoDB
 * returns the fields of a map in any order, and responses and events contain such maps. For schemas without defaults.
 * Throws if a known field is invalid.
 */
export function asStored<S extends z.ZodMiniType>(schema: S, item: unknown): z.output<S> {
  const known = schema.parse(item);
  addUnknown(known, item);
  return known;
}

function addUnknown(known: unknown, stored: unknown): void {
  if (!isObject(known) || !isObject(stored)) return;
  for (const [name, value] of Object.entries(stored)) {
    if (Object.hasOwn(known, name)) addUnknown(known[name], value);
    // An assignment to `__proto__` would add no field.
    else Object.defineProperty(known, name, { ...ordinaryField, value });
  }
}

const ordinaryField = { configurable: true, enumerable: true, writable: true };

/** Arrays, too. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** DynamoDB's limit for an item. */
export const mostItemBytes = 409_600;

/** The size of an item as DynamoDB counts it: names and values. A number counts slightly more than its digits need. */
export function itemBytes(item: object): number {
  return sizeOfMap(toAttributes(item));
}

function sizeOfMap(attributes: Readonly<Record<string, AttributeValue>>): number {
  return sum(
    Object.entries(attributes).map(([name, value]) => Buffer.byteLength(name) + sizeOf(value)),
  );
}

function sizeOf({ S, N, SS, L, M }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return N.length + 1;
  if (SS !== undefined) return sum(SS.map((text) => Buffer.byteLength(text)));
  if (L !== undefined) return 3 + sum(L.map((value) => 1 + sizeOf(value)));
  return M === undefined ? 1 : 3 + Object.keys(M).length + sizeOfMap(M);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
