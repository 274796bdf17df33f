import { isDeepStrictEqual } from "node:util";
import { toAttribute } from "./attributes.ts";
import type { Item } from "./items.ts";

/**
 * The attributes of an item that its other attributes do not tell. `told` is what they tell: who reads the item puts it
 * back with a spread, `{ ...told, ...item }`. So nothing is stored twice, and an unusual value is stored as it is.
 */
export function leaveOut(item: object, told: Item): Item {
  const isTold = (name: string, value: unknown) =>
    Object.hasOwn(told, name) && isSame(value, told[name]);
  return Object.fromEntries(Object.entries(item).filter(([name, value]) => !isTold(name, value)));
}

/** Whether DynamoDB would store the same: fields that are undefined do not count. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return isDeepStrictEqual(toAttribute(one), toAttribute(other));
}
