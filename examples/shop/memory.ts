import { randomBytes } from "node:crypto";
import { type Line, teas } from "./teas.ts";

/** What a visitor has chosen. Each change makes a new id, so that one id always means the same content. */
export interface Basket {
  readonly id: string;
  readonly lines: readonly Line[];
}

/** Something a visitor wants to buy. Each order number is one try to pay for it; the last one counts. */
export interface Purchase {
  readonly visitor: string;
  readonly lines: readonly Line[];
  readonly orderNos: readonly string[];
  /** Those of them that Paycast said it has. */
  readonly created: readonly string[];
  /** The order whose payment the tea was packed for. */
  readonly packedFor?: string;
}

/** Baskets and orders, in memory: they are gone when the shop stops. A real shop needs a database here. */
export type Memory = ReturnType<typeof createMemory>;

export function createMemory() {
  const baskets = new Map<string, Basket>();
  const purchases = new Map<string, Purchase>();
  const basketOf = (visitor: string) => baskets.get(visitor) ?? emptyBasket;
  const find = (orderNo: string) => purchases.get(purchaseId(orderNo));
  const keep = (purchase: Purchase, changes: Partial<Purchase>) => {
    const [first = ""] = purchase.orderNos;
    const kept = { ...purchase, ...changes };
    purchases.set(purchaseId(first), kept);
    return kept;
  };
  return {
    basketOf,
    find,
    changeBasket(visitor: string, teaId: string, by: number): void {
      baskets.set(visitor, { id: newBasketId(), lines: change(basketOf(visitor), teaId, by) });
    },
    /** The purchase of this basket, the same one however often it is asked for. Undefined if the basket has changed. */
    purchaseOf(visitor: string, basketId: string): Purchase | undefined {
      const known = purchases.get(basketId);
      if (known !== undefined) return known.visitor === visitor ? known : undefined;
      const { id, lines } = basketOf(visitor);
      if (id !== basketId || lines.length === 0) return undefined;
      return keep({ visitor, lines, orderNos: [`${prefix}${id}`], created: [] }, {});
    },
    /** A failed order is not paid again: the next try gets the next number. Two clicks after one failure get the same. */
    nextTry(purchase: Purchase, failedOrderNo: string): Purchase {
      const { orderNos } = purchase;
      if (orderNos.at(-1) !== failedOrderNo) return purchase;
      const next = `${orderNos[0]}-${orderNos.length + 1}`;
      return keep(purchase, { orderNos: [...orderNos, next] });
    },
    pack(purchase: Purchase, packedFor: string): void {
      keep(purchase, { packedFor });
    },
    /** The order exists, so the basket is emptied; before, a failure would lose it. A basket that was changed meanwhile stays. */
    noteCreated(purchase: Purchase, orderNo: string): void {
      const { visitor, created } = purchase;
      if (!created.includes(orderNo)) keep(purchase, { created: [...created, orderNo] });
      if (basketOf(visitor).id === purchaseId(orderNo)) baskets.delete(visitor);
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

function change({ lines }: Basket, teaId: string, by: number): Line[] {
  const quantities = new Map(lines.map(({ tea, quantity }) => [tea.id, quantity]));
  const quantity = Math.min((quantities.get(teaId) ?? 0) + by, mostPackets);
  quantities.set(teaId, Math.max(quantity, 0));
  return teas.flatMap((tea) => {
    const wanted = quantities.get(tea.id) ?? 0;
    return wanted === 0 ? [] : [{ tea, quantity: wanted }];
  });
}
