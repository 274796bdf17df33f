import type * as z from "zod/mini";
import { asStored } from "../table/attributes.ts";
import { isNewerFormat, itemFormat, requireKnownFormat } from "../table/item-format.ts";
import type { Item } from "../table/items.ts";
import { type Order, orderSchema } from "./order.ts";
import { type Payment, paymentSchema } from "./payment.ts";

/*
 * An aggregate is stored as it is. Reading keeps what this version does not know, because a newer version writes the
 * same items during a deployment and before a rollback.
 */

export function aggregateItem(aggregate: Order | Payment): Item {
  return { ...aggregate, itemFormat };
}

/** Throws `item-newer`, or another error if this version cannot read the item as an order. */
export function readOrder(item: Item): Order {
  return readAs(orderSchema, item);
}

export function readPayment(item: Item): Payment {
  return readAs(paymentSchema, item);
}

/** Undefined for an item that is no order, for callers that skip it. Throws `item-newer`. */
export function readIfOrder(item: Item | undefined): Order | undefined {
  return readIf(orderSchema, item);
}

export function readIfPayment(item: Item | undefined): Payment | undefined {
  return readIf(paymentSchema, item);
}

/** Items of lists: the readable ones, and the keys of those that a newer version wrote in its own format. */
export function separateNewer(items: readonly Item[]): {
  readonly known: readonly Item[];
  readonly newer: readonly Item[];
} {
  return {
    known: items.filter((item) => !isNewerFormat(item)),
    newer: items.filter(isNewerFormat),
  };
}

function readAs<S extends z.ZodMiniType>(schema: S, item: Item): z.output<S> {
  requireKnownFormat(item);
  return asStored(schema, item);
}

function readIf<S extends z.ZodMiniType>(schema: S, item: Item | undefined) {
  if (item === undefined) return undefined;
  requireKnownFormat(item);
  return schema.safeParse(item).success ? asStored(schema, item) : undefined;
}
