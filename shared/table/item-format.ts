import { PaycastError } from "../errors/paycast-error.ts";
import type { Item } from "./items.ts";

/**
 * The format of every item that this version writes, and the newest one that it reads. A field, flag or kind that is
 * merely added does not change it: an older version keeps or ignores what it does not know. It grows only with a change
 * that an older version would misread, one release after the release that can read it.
 */
export const itemFormat = 1;

/** Whether a newer version wrote the item, in a format that this version would misread. */
export function isNewerFormat({ itemFormat: format }: Item): boolean {
  return typeof format === "number" && format > itemFormat;
}

/**
 * Throws `item-newer` for such an item. The error is retryable, because the deployment that brought the newer version
 * is under way: a callback returns to the inbox, and the storefront responds with 503.
 */
export function requireKnownFormat(item: Item): void {
  if (!isNewerFormat(item)) return;
  throw new PaycastError("item-newer", "A newer version of Paycast wrote the item.", {
    retryable: true,
  });
}
