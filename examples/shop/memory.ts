import { randomBytes } from "node:crypto";
import { type Line, teas } from "./teas.ts";

/** What a visitor has chosen. Each change makes a new id, so that one id always means the same content. */
export interface Basket {
  readonly id: string;
  readonly lines: readonly Line[];
}

/** Something a visitor wants to buy. Each order number is one try to pay for it. */
export interface Purchase {
  readonly visitor: string;
  readonly lines: readonly Line[];
  readonly orderNos: readonly string[];
  /** Those of them that Paycast said it has. */
  readonly created: readonly string[];
  /** The order whose payment the tea was packed for. */
  readonly packedFor?: string;
}

/** The order number that counts: the one that was paid and packed for, otherwise the last try. */
export function currentOrderNo({ packedFor, orderNos }: Purchase): string {
  return packedFor ?? orderNos.at(-1) ?? "";
}

/** The page of an order, which is also where the payment service sends the customer back to. */
export function orderPath(orderNo: string): string {
  return `/orders/${encodeURIComponent(orderNo)}`;
}

/** Baskets and orders, in memory: they are gone when the shop stops. A real shop needs a database here. */
export type Memory = ReturnType<typeof createMemory>;

export function createMemory() {
  const baskets = new Map<string, Basket>();
  const purchases = new Map<string, Purchase>();
  const basketOf = (visitor: string) => baskets.get(visitor) ?? emptyBasket;
  const find = (orderNo: string) => purchases.get(purchaseId(orderNo));
  /** Looks at the purchase as it is now: it may have changed while its caller waited for an answer. */
  const change = (orderNo: string, changes: (purchase: Purchase) => Partial<Purchase>) => {
    const purchase = find(orderNo);
    if (purchase === undefined) return;
    purchases.set(purchaseId(orderNo), { ...purchase, ...changes(purchase) });
  };
  return {
    basketOf,
    find,
    changeBasket(visitor: string, teaId: string, by: number): void {
      baskets.set(visitor, { id: newBasketId(), lines: addTo(basketOf(visitor), teaId, by) });
    },
    /** The purchase of this basket, the same one however often it is asked for. Undefined if the basket has changed. */
    purchaseOf(visitor: string, basketId: string): Purchase | undefined {
      const known = purchases.get(basketId);
      if (known !== undefined) return known.visitor === visitor ? known : undefined;
      const { id, lines } = basketOf(visitor);
      if (id !== basketId || lines.length === 0) return undefined;
      const purchase = { visitor, lines, orderNos: [`${prefix}${id}`], created: [] };
      purchases.set(id, purchase);
      return purchase;
    },
    /** A failed order is not paid again: the next try gets the next number. Two clicks after one failure get the same. */
    tryAgainAfter(failedOrderNo: string): void {
      change(failedOrderNo, ({ orderNos }) => {
        if (orderNos.at(-1) !== failedOrderNo) return {};

        return { orderNos: [...orderNos, `${orderNos[0]}-${orderNos.length + 1}`] };
      });
    },
    /** The order exists, so its basket is emptied. Before, a failure would lose it. A basket that changed meanwhile stays. */
    noteCreated(orderNo: string): void {
      change(orderNo, ({ created }) => ({ created: [...new Set([...created, orderNo])] }));
      const visitor = find(orderNo)?.visitor ?? "";
      if (basketOf(visitor).id === purchaseId(orderNo)) baskets.delete(visitor);
    },
    notePacked(orderNo: string): void {
      change(orderNo, () => ({ packedFor: orderNo }));
    },
    /** Newest first. */
    purchasesOf(visitor: string): Purchase[] {
      return [...purchases.values()].filter((one) => one.visitor === visitor).reverse();
    },
  };
}

const emptyBasket: Basket = { id: "", lines: [] };
const prefix = "TEA-";
const mostPackets = 20;

/** "TEA-5F3A01BC77-2" is the second try to pay for the basket "5F3A01BC77". */
function purchaseId(orderNo: string): string {
  return orderNo.slice(prefix.length).split("-")[0] ?? "";
}

function newBasketId(): string {
  return randomBytes(5).toString("hex").toUpperCase();
}

function addTo({ lines }: Basket, teaId: string, by: number): Line[] {
  const quantities = new Map(lines.map(({ tea, quantity }) => [tea.id, quantity]));
  const quantity = Math.min((quantities.get(teaId) ?? 0) + by, mostPackets);
  quantities.set(teaId, Math.max(quantity, 0));
  return teas.flatMap((tea) => {
    const wanted = quantities.get(tea.id) ?? 0;
    return wanted === 0 ? [] : [{ tea, quantity: wanted }];
  });
}
