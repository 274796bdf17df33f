import { isDeepStrictEqual } from "node:util";
import { toAttribute } from "./attributes.ts";
import type { Item } from "./items.ts";

/**
 * The attributes of an item that cannot be derived from its other attributes. `derived` has the derivable values; a
 * reader restores them with `{ ...derived, ...item }`. Nothing is stored twice, and an unusual value is stored.
 */
export function leaveOut(item: object, derived: Item): Item {
  const isDerived = (name: string, value: unknown) =>
    Object.hasOwn(derived, name) && isSame(value, derived[name]);
  return Object.fromEntries(
    Object.entries(item).filter(([name, value]) => !isDerived(name, value)),
  );
}

/** Whether DynamoDB would store the same. Undefined fields do not count. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === undefined || right === undefined) return left === right;
  return isDeepStrictEqual(toAttribute(left), toAttribute(right));
}
