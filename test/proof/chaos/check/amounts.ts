/** An amount of money as in events and responses. */
export interface Amount {
  readonly value: string;
  readonly minor?: string;
  readonly currency?: string;
}

/** ISO 4217, for the currencies of the run. */
const decimals: Readonly<Record<string, number>> = {
  EUR: 2,
  USD: 2,
  JPY: 0,
  KRW: 0,
  TND: 3,
  KWD: 3,
};

/** With exactly the currency's decimals; without a currency as it was sent, without zeros at the end. */
export function amountOf(decimal: string, currency: string | undefined): Amount {
  const [whole = "", part = ""] = decimal.split(".");
  if (currency === undefined) {
    const needed = part.replace(/0+$/, "");
    return { value: needed === "" ? whole : `${whole}.${needed}` };
  }
  const places = decimals[currency];
  if (places === undefined) throw new Error(`The run has no orders in ${currency}.`);
  return inMinor(BigInt(whole + part.padEnd(places, "0").slice(0, places)), currency);
}

function inMinor(minor: bigint, currency: string): Amount {
  const places = decimals[currency] ?? 0;
  const digits = String(minor).padStart(places + 1, "0");
  const value = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
  return { value, minor: String(minor), currency };
}

export function sumOf(amounts: readonly Amount[], currency: string): Amount {
  return inMinor(
    amounts.reduce((sum, { minor = "0" }) => sum + BigInt(minor), 0n),
    currency,
  );
}

/** Of two amounts in one currency. */
export function isMore(left: Amount, right: Amount): boolean {
  return BigInt(left.minor ?? "0") > BigInt(right.minor ?? "0");
}

/** "12.3" and "12.30" are one amount. */
export function isSame(left: string | undefined, right: string | undefined): boolean {
  return left === undefined || right === undefined
    ? left === right
    : thousandths(left) === thousandths(right);
}

/** An amount without floats, so that sums are exact. No currency of the run has smaller units than thousandths. */
export function thousandths(decimal = "0"): bigint {
  const [whole = "", part = ""] = decimal.split(".");
  return BigInt(whole + part.padEnd(3, "0"));
}
