import { PaycastError } from "../errors/paycast-error.ts";
import {
  type Amount,
  addAmounts,
  amountToNumber,
  isReadable,
  multiplyAmount,
  readAmount,
  readAmountWithoutCurrency,
  readPositiveAmount,
  sameAmount,
} from "../money/amount.ts";
import { hasTooManyGoods, quantitySchema } from "./create-body.ts";
import { type Fault, faultAt, type Path, valueAt } from "./problem.ts";

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

/**
 * Amounts that are not exact in their currency, and wrong sums (§2.3, §2.4). If the currency is wrong too, the amounts
 * are checked by the rules that all currencies share. §2.4 says that the sums should be equal: a config may leave them
 * unchecked.
 */
export function amountFaults(
  body: unknown,
  currency: string | undefined,
  exactSums: boolean,
): Fault[] {
  return [
    ...amountPaths(body).flatMap((path) => singleFault(body, path, currency)),
    ...goodsFaults(body),
    ...(currency === undefined || !exactSums ? [] : sumFaults(body, currency)),
  ];
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
  if (!Array.isArray(goods) || hasTooManyGoods(goods)) return [];
  return goods.map((_item, index) => ["order", "goods", index]);
}

function singleFault(body: unknown, path: Path, currency: string | undefined): Fault[] {
  const value = valueAt(body, path);
  if (typeof value !== "number" && typeof value !== "string") return [];
  const isPayment = path[0] === "paymentAmount";
  try {
    if (currency !== undefined) readExactly(value, currency, isPayment);
    else if (isZeroInAnyCurrency(value) && isPayment) return [faultAt(path, "is zero")];
    return [];
  } catch (error) {
    return [faultAt(path, predicateOf(error, currency))];
  }
}

/** Throws if the amount cannot be sent exactly as a number. */
function readExactly(value: number | string, currency: string, isPayment: boolean): void {
  amountToNumber(isPayment ? readPositiveAmount(value, currency) : readAmount(value, currency));
}

/** Throws if it is not an amount in any currency. */
function isZeroInAnyCurrency(value: number | string): boolean {
  return readAmountWithoutCurrency(value).value === "0";
}

function predicateOf(error: unknown, currency: string | undefined): string {
  if (!(error instanceof PaycastError)) return "is not valid";
  // Amounts are sent as numbers, so a string that can be read exactly may still not be exact when it is sent.
  if (error.code === "amount-inexact")
    return "has more than the 15 digits that can be sent exactly";
  if (error.code === "amount-too-precise" && currency === undefined)
    return "has more decimals than any currency";
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
        "must be left out: goodsAmount is the same field under another name",
      ),
    );
}

function sumFaults(body: unknown, currency: string): Fault[] {
  return [
    ...sumFault(body, currency, ["order", "orderAmount"], ["goodsAmount", "goodsUnitAmount"]),
    ...sumFault(body, currency, ["order", "totalTax"], ["tax"]),
  ];
}

/** Checked only if every item of the goods has the amount and a quantity. */
function sumFault(body: unknown, currency: string, path: Path, names: readonly string[]): Fault[] {
  const total = amountAt(body, path, currency);
  const parts = goodsPaths(body).map((goods) => lineOf(body, goods, names, currency));
  const lines = parts.filter((line) => line !== undefined);
  if (total === undefined || parts.length === 0 || lines.length < parts.length) return [];
  const products = lines.map(({ each, quantity }) => multiplyAmount(each, quantity));
  const [low, high] = [products.map((line) => line.low), products.map((line) => line.high)];
  const must = outOfRange(
    total,
    addAmounts(low, currency),
    addAmounts(high, currency),
    String(names[0]),
  );
  return must.map((predicate) => faultAt(path, predicate));
}

/** A quantity with a fraction may give a fraction of the smallest unit, and each item may be rounded either way. */
function outOfRange(total: Amount, low: Amount, high: Amount, name: string): string[] {
  const sum = `the sum of ${name} times goodsQuantity over the goods`;
  const minor = BigInt(total.minor);
  if (minor >= BigInt(low.minor) && minor <= BigInt(high.minor)) return [];
  if (!isReadable(high)) return ["is not valid: the sum over the goods is too large for an amount"];
  if (sameAmount(low, high)) return [`must be ${low.value}, ${sum}`];
  return [`must be ${low.value} to ${high.value}, by how each item is rounded, ${sum}`];
}

function lineOf(
  body: unknown,
  goods: Path,
  names: readonly string[],
  currency: string,
): { each: Amount; quantity: unknown } | undefined {
  const quantity = valueAt(body, [...goods, "goodsQuantity"]);
  const each = names
    .map((name) => amountAt(body, [...goods, name], currency))
    .find((amount) => amount !== undefined);
  if (each === undefined || !quantitySchema.safeParse(quantity).success) return undefined;
  return { each, quantity };
}

function amountAt(body: unknown, path: Path, currency: string): Amount | undefined {
  try {
    return readAmount(valueAt(body, path), currency);
  } catch {
    return undefined;
  }
}
