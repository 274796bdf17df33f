import { Buffer } from "node:buffer";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { toAttributes } from "./attributes.ts";

/** DynamoDB's limit for an item. */
export const mostItemBytes = 409_600;

/** The size of an item as DynamoDB counts it: its names and its values; a number counts a little more than its digits need. */
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
  return numbers.reduce((total, one) => total + one, 0);
}
