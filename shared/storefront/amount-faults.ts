import {
  type Amount,
  addAmounts,
  amountToNumber,
  multiplyAmount,
  readAmount,
  readPositiveAmount,
  sameAmount,
} from "../money/amount.ts";
import { PaycastError } from "../paycast-error.ts";
import { faultAt, type Path, valueAt } from "./fault-at.ts";
import type { Fault } from "./problem.ts";

const orderAmounts = [
  "orderAmount",
  "tips",
  "discount",
  "totalTax",
  "insurance",
  "handlingFee",
  "shippingDiscount",
];
const goodsAmounts = ["goodsAmount", "goodsUnitAmount", "tax"];
/** More goods are a fault by their number alone; looking at each of thousands would take seconds. */
const mostGoods = 100;

/** Amounts that are not exact in their currency, and sums that do not come out (§2.3, §2.4). */
export function amountFaults(body: unknown, currency: string | undefined): Fault[] {
  if (currency === undefined) return [];
  const single = amountPaths(body).flatMap((path) => singleFault(body, path, currency));
  return [...single, ...goodsFaults(body), ...sumFaults(body, currency)];
}

function amountPaths(body: unknown): Path[] {
  return [
    ["paymentAmount"],
    ...orderAmounts.map((name) => ["order", name]),
    ["order", "shipping", "amount"],
    ...goodsPaths(body).flatMap((goods) => goodsAmounts.map((name) => [...goods, name])),
  ];
}

function goodsPaths(body: unknown): Path[] {
  const goods = valueAt(body, ["order", "goods"]);
  if (!Array.isArray(goods) || goods.length > mostGoods) return [];
  return goods.map((_, index) => ["order", "goods", index]);
}

function singleFault(body: unknown, path: Path, currency: string): Fault[] {
  const value = valueAt(body, path);
  if (typeof value !== "number" && typeof value !== "string") return [];
  try {
    const read = path[0] === "paymentAmount" ? readPositiveAmount : readAmount;
    amountToNumber(read(value, currency));
    return [];
  } catch (error) {
    return [faultAt(path, predicateOf(error))];
  }
}

function predicateOf(error: unknown): string {
  if (!(error instanceof PaycastError)) return "is not valid";
  // The wire carries numbers: as a string it could be read, and still not be sent.
  if (error.code === "amount-inexact")
    return "has more than the 15 digits that can be sent exactly";
  return error.message.replace(/^The amount |\.$/g, "");
}

/** The interface has two names for one field (§2.5). */
function goodsFaults(body: unknown): Fault[] {
  return goodsPaths(body)
    .filter((goods) =>
      goodsAmounts.slice(0, 2).every((name) => valueAt(body, [...goods, name]) !== undefined),
    )
    .map((goods) =>
      faultAt(
        [...goods, "goodsUnitAmount"],
        "must not stand beside goodsAmount: both name the same",
      ),
    );
}

function sumFaults(body: unknown, currency: string): Fault[] {
  return [
    ...sumFault(body, currency, ["order", "orderAmount"], ["goodsAmount", "goodsUnitAmount"]),
    ...sumFault(body, currency, ["order", "totalTax"], ["tax"]),
  ];
}

/** Held against the goods only where all of them carry the amount and a quantity. */
function sumFault(body: unknown, currency: string, path: Path, names: readonly string[]): Fault[] {
  const told = amountAt(body, path, currency);
  const parts = goodsPaths(body).map((goods) => lineOf(body, goods, names, currency));
  const lines = parts.filter((line) => line !== undefined);
  if (told === undefined || parts.length === 0 || lines.length < parts.length) return [];
  try {
    const amounts = lines.map(({ each, quantity }) => multiplyAmount(each, quantity));
    const sum = addAmounts(amounts, currency);
    if (sameAmount(sum, told)) return [];
    return [
      faultAt(
        path,
        `must be ${sum.value}, the sum of ${names[0]} times goodsQuantity over the goods`,
      ),
    ];
  } catch {
    return [faultAt(path, "cannot be right: the goods add up to more than an amount holds")];
  }
}

function lineOf(
  body: unknown,
  goods: Path,
  names: readonly string[],
  currency: string,
): { each: Amount; quantity: number } | undefined {
  const told = valueAt(body, [...goods, "goodsQuantity"]);
  const quantity = typeof told === "number" || typeof told === "string" ? Number(told) : 0;
  const each = names
    .map((name) => amountAt(body, [...goods, name], currency))
    .find((amount) => amount !== undefined);
  if (each === undefined || !Number.isSafeInteger(quantity) || quantity < 1) return undefined;
  return { each, quantity };
}

function amountAt(body: unknown, path: Path, currency: string): Amount | undefined {
  try {
    return readAmount(valueAt(body, path), currency);
  } catch {
    return undefined;
  }
}
