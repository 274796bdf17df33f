import { decimalsOf } from "./currencies.ts";

/** An exact amount in minor units of a currency. Sums and comparisons use integers only. */
export interface Money {
  readonly currency: string;
  readonly minorUnits: bigint;
}

const maximumDigits = 18;

/** Reads a plain decimal. Undefined if it has a sign, an exponent, or more decimals than the currency. */
export function readMoney(text: string, currency: string): Money | undefined {
  const decimals = decimalsOf(currency);
  const [, whole, fraction = ""] = /^(0|[1-9]\d*)(?:\.(\d+))?$/.exec(text) ?? [];
  if (decimals === undefined || whole === undefined || whole.length > maximumDigits)
    return undefined;
  const needed = fraction.replace(/0+$/, "");
  if (needed.length > decimals) return undefined;
  return { currency, minorUnits: BigInt(whole + needed.padEnd(decimals, "0")) };
}

/** With exactly the currency's decimals: "12.50", "500", "1.250". */
export function decimalText(money: Money): string {
  const decimals = decimalsOf(money.currency) ?? 0;
  const digits = money.minorUnits.toString().padStart(decimals + 1, "0");
  if (decimals === 0) return digits;
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

export function moneyText(money: Money): string {
  return `${decimalText(money)} ${money.currency}`;
}
