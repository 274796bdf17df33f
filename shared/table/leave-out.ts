import { isDeepStrictEqual } from "node:util";
import { toAttribute } from "./attributes.ts";
import type { Item } from "./items.ts";

/**
 * The attributes of an item that cannot be derived from its other attributes. `derived` has the derivable ones: a reader
 * puts them back with a spread, `{ ...derived, ...item }`. So nothing is stored twice, and an unusual value is stored.
 */
export function leaveOut(item: object, derived: Item): Item {
  const isDerived = (name: string, value: unknown) =>
    Object.hasOwn(derived, name) && isSame(value, derived[name]);
  return Object.fromEntries(
    Object.entries(item).filter(([name, value]) => !isDerived(name, value)),
  );
}

/** Whether DynamoDB would store the same: fields that are undefined do not count. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === undefined || right === undefined) return left === right;
  return isDeepStrictEqual(toAttribute(left), toAttribute(right));
}
