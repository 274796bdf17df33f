import type { Amount } from "../money/amount.ts";
import type { Item } from "../table/items.ts";
import { amountSchema } from "./schemas.ts";

/** The fields of an aggregate that hold amounts, at any depth. */
const amountNames = new Set(["amount", "expected"]);

/** The item with its amounts as short texts, such as "12.30 EUR". The minor units are the same digits. */
export function writeAmounts(item: Item): Item {
  return changeAmounts(item, (value) => {
    const { data: amount } = amountSchema.safeParse(value);
    if (amount === undefined) return value;
    const text = `${amount.value} ${amount.currency}`;
    // If a newer version added a field to the amount, the amount stays as it is.
    const isWhole = Object.keys(Object(value)).length === Object.keys(amount).length;
    return isWhole && readText(text)?.minor === amount.minor ? text : value;
  });
}

export function readAmounts(item: Item): Item {
  return changeAmounts(
    item,
    (value) => (typeof value === "string" ? readText(value) : undefined) ?? value,
  );
}

function readText(text: string): Amount | undefined {
  const [, value, currency] = /^(\d+(?:\.\d+)?) ([A-Z]{3})$/.exec(text) ?? [];
  if (value === undefined || currency === undefined) return undefined;
  return { value, minor: String(BigInt(value.replace(".", ""))), currency };
}

function changeAmounts(item: Item, change: (value: unknown) => unknown): Item {
  const changed = Object.entries(item).map(([name, value]) => [
    name,
    amountNames.has(name) ? change(value) : changeInside(value, change),
  ]);
  return Object.fromEntries(changed);
}

function changeInside(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => changeInside(element, change));
  return isMap(value) ? changeAmounts(value, change) : value;
}

function isMap(value: unknown): value is Item {
  return typeof value === "object" && value !== null;
}
