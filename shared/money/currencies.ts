/**
 * Minor unit digits of every ISO 4217 currency. Source: "List One: current currency and funds", kept by SIX as the
 * standard's maintenance agency, as published on 2026-01-01 (amendment 180). `Intl` is no substitute: it holds the
 * decimals people write, not those the standard sets (IQD, HUF, MGA, ...).
 *
 * In: all 165 codes that have a minor unit, funds codes (BOV, CHE, CHW, CLF, COU, MXV, USN, UYI, UYW, XAD) among them.
 * Out: the 13 codes whose minor unit is "N.A.", so that amounts cannot be counted in it: metals (XAG, XAU, XPD, XPT),
 * bond units (XBA, XBB, XBC, XBD), units of account (XDR, XSU, XUA), and the codes for testing and for no currency
 * (XTS, XXX); and codes withdrawn before that date (BGN, ...).
 */
const codesByExponent = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
      CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP
      GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT
      LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN
      NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB
      SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS
      UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW",
};

/** No currency has more decimals, so an amount with more is never valid. */
export const maximumExponent = 4;

const exponents = new Map(
  Object.entries(codesByExponent).flatMap(([exponent, codes]) =>
    codes.split(/\s+/).map((code) => [code, Number(exponent)] as const),
  ),
);

export const currencyCodes: readonly string[] = [...exponents.keys()].sort();

/** How many decimals amounts of a currency have. Codes are upper case, as the standard writes them. */
export function currencyExponent(code: string): number | undefined {
  return exponents.get(code);
}
