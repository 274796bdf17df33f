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

/**
 * The active codes of ISO 4217 by the number of their decimals, as the maintenance agency's list of January 2026 has
 * them, funds included. Codes without a minor unit (metals, testing) are omitted, because they cannot be used for
 * payments.
 */
const codesByDecimals: readonly (readonly [decimals: number, codes: string])[] = [
  [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"],
  [3, "BHD IQD JOD KWD LYD OMR TND"],
  [4, "CLF UYW"],
  [
    2,
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF
     CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL
     HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU
     MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR
     SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED
     VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  ],
];

const decimalsByCode = new Map(
  codesByDecimals.flatMap(([decimals, codes]) =>
    codes.split(/\s+/).map((code) => [code, decimals] as const),
  ),
);

/** How many decimals an amount of this currency may have, or undefined if ISO 4217 has no such code. */
export function decimalsOf(currency: string): number | undefined {
  return decimalsByCode.get(currency);
}
