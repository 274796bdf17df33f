import { PaycastError } from "../errors/paycast-error.ts";
import { currencyExponent, maximumExponent } from "./currencies.ts";
import { plainDecimal } from "./exact-numbers.ts";

/**
 * An exact amount, as records and events store it. `value` has exactly the currency's decimals ("12.30", "500",
 * "1.250"); `minor` counts its smallest units in decimal digits, as a string because a JSON number would lose large
 * ones. Never negative.
 */
export interface Amount {
  readonly value: string;
  readonly minor: string;
  readonly currency: string;
}

/** A refund names no currency (§2.12). Until its order is known, minor units cannot be counted. */
export interface AmountWithoutCurrency {
  readonly value: string;
}

/** A double keeps a decimal of this many digits exactly; with one more digit it may not. */
const digitsOfDouble = 15;
const maximumIntegerDigits = 18;
/** Allows extra zeros after the decimals, and limits the work on untrusted input. */
const maximumTextLength = 40;

const refusals = {
  "amount-malformed": "is not a plain decimal number such as 12.30",
  "amount-negative": "has a minus sign",
  "amount-zero": "is zero",
  "amount-too-precise": "has more decimals than its currency",
  "amount-too-large": `is too long: at most ${maximumIntegerDigits} digits before the decimal point`,
  "amount-inexact": "has more digits than a JSON number holds exactly; it must be a string",
} as const;

function refusal(code: keyof typeof refusals): PaycastError {
  return new PaycastError(code, `The amount ${refusals[code]}.`);
}

/**
 * Reads an amount from a JSON number or a string (§2.3). Zeros beyond the currency's decimals are accepted ("12.300"
 * USD, "500.00" JPY), and so is an exponent ("1E+3"). Throws one of the codes above, or `currency-unknown`.
 *
 * A number that JSON.parse has rounded cannot be recognised afterwards: use `inexactNumbers` on untrusted text first,
 * or read the text itself.
 */
export function readAmount(input: unknown, currency: string): Amount {
  const exponent = exponentOf(currency);
  const { integer, fraction } = readDecimal(input);
  if (fraction.length > exponent) throw refusal("amount-too-precise");
  const minor = BigInt(integer + fraction.padEnd(exponent, "0"));
  if (typeof input === "number" && !fitsDouble(String(minor))) throw refusal("amount-inexact");
  return amountOfMinorUnits(minor, currency);
}

/** Like `readAmount`, but an amount of zero throws `amount-zero`. */
export function readPositiveAmount(input: unknown, currency: string): Amount {
  const amount = readAmount(input, currency);
  if (amount.minor === "0") throw refusal("amount-zero");
  return amount;
}

/** The `value` has no trailing zeros, so that one amount has one spelling ("12.3" for "12.30"). */
export function readAmountWithoutCurrency(input: unknown): AmountWithoutCurrency {
  const { integer, fraction } = readDecimal(input);
  if (fraction.length > maximumExponent) throw refusal("amount-too-precise");
  if (typeof input === "number" && !fitsDouble(integer + fraction)) throw refusal("amount-inexact");
  return { value: fraction === "" ? integer : `${integer}.${fraction}` };
}

/** Throws `amount-negative` or `currency-unknown`. The limit on digits is for input: a sum may have more. */
export function amountOfMinorUnits(minor: bigint, currency: string): Amount {
  if (minor < 0n) throw refusal("amount-negative");
  const exponent = exponentOf(currency);
  const digits = String(minor).padStart(exponent + 1, "0");
  const integer = digits.slice(0, digits.length - exponent);
  const value = exponent === 0 ? integer : `${integer}.${digits.slice(-exponent)}`;
  return { value, minor: String(minor), currency };
}

/** Whether `readAmount` accepts it: a sum or a product may be too large. */
export function isReadable({ value }: Amount): boolean {
  const [integer = ""] = value.split(".");
  return integer.length <= maximumIntegerDigits;
}

/** The exact sum; zero for an empty list. Throws `currency-mismatch`. */
export function addAmounts(amounts: readonly Amount[], currency: string): Amount {
  if (amounts.some((amount) => amount.currency !== currency)) {
    throw new PaycastError("currency-mismatch", "Amounts in different currencies cannot be added.");
  }
  const minor = amounts.reduce((sum, amount) => sum + BigInt(amount.minor), 0n);
  return amountOfMinorUnits(minor, currency);
}

/**
 * The amount for a quantity, which is a JSON number or its text. If it is not a whole number of the currency's smallest
 * unit, `low` and `high` are the nearest ones; otherwise they are the same. Throws like `readAmount`.
 */
export function multiplyAmount(
  { minor, currency }: Amount,
  quantity: unknown,
): { readonly low: Amount; readonly high: Amount } {
  const { integer, fraction } = readDecimal(quantity);
  const scale = 10n ** BigInt(fraction.length);
  const product = BigInt(minor) * BigInt(integer + fraction);
  const low = product / scale;
  const high = low * scale === product ? low : low + 1n;
  return { low: amountOfMinorUnits(low, currency), high: amountOfMinorUnits(high, currency) };
}

/** Amounts of different currencies are never the same, not even zero. */
export function sameAmount(left: Amount, right: Amount): boolean {
  return left.minor === right.minor && left.currency === right.currency;
}

/** For people: "12.30 USD". */
export function formatAmount(amount: Amount): string {
  return `${amount.value} ${amount.currency}`;
}

/** A JSON number for the service. Throws `amount-inexact` if the number would be a different amount. */
export function amountToNumber(amount: Amount): number {
  if (!fitsDouble(amount.minor)) throw refusal("amount-inexact");
  return Number(amount.value);
}

function exponentOf(currency: string): number {
  const exponent = currencyExponent(currency);
  if (exponent !== undefined) return exponent;
  throw new PaycastError("currency-unknown", "The currency is not a current ISO 4217 code.");
}

function fitsDouble(digits: string): boolean {
  return digits.length <= digitsOfDouble;
}

/** The digits before the decimal point, and the digits after it without trailing zeros. */
function readDecimal(input: unknown): { integer: string; fraction: string } {
  const text = withoutExponent(textOf(input));
  if (text.length > maximumTextLength) throw refusal("amount-too-large");
  const parts = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?$/.exec(text);
  const [, sign, integer, fraction = ""] = parts ?? [];
  if (integer === undefined) throw refusal("amount-malformed");
  if (sign === "-") throw refusal("amount-negative");
  if (integer.length > maximumIntegerDigits) throw refusal("amount-too-large");
  return { integer, fraction: fraction.replace(/0+$/, "") };
}

function textOf(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "number") throw refusal("amount-malformed");
  return Object.is(input, -0) ? "-0" : String(input);
}

/** Some senders write 1000 as 1E+3, and JavaScript writes a large or very small number like that. */
function withoutExponent(text: string): string {
  const parts = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?[eE]([-+]?[0-9]+)$/.exec(text);
  if (parts === null) return text;
  const decimal = plainDecimal(text);
  if (decimal !== undefined) return decimal;
  throw refusal(Number(parts[1]) < 0 ? "amount-too-precise" : "amount-too-large");
}
