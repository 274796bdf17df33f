import { describe, expect, test } from "vitest";
import {
  currencyCodes,
  currencyExponent,
  maximumExponent,
} from "../../../shared/money/currencies.ts";

/** ISO 4217 exponents that Intl does not share: its locale data drops unused decimals (of RSD only before 2025). */
const twoDecimals = "AFN ALL COP HUF IDR IRR KPW LAK LBP MGA MMK PKR RSD SOS SYP YER".split(" ");
const exponentsUnlikeIntl: Record<string, number> = {
  ...Object.fromEntries(twoDecimals.map((code) => [code, 2])),
  IQD: 3,
};
const withoutMinorUnit = "XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX".split(" ");
const withdrawn = "ANG BGN CUC HRK SLL ZWL".split(" ");
/** Funds codes, and currencies younger than some releases of the locale data. */
const unknownToSomeIntl = "BOV CHE CHW CLF COU MXV USN UYI UYW VED XAD XCG ZWG".split(" ");
const intlCodes = Intl.supportedValuesOf("currency");

function intlDigits(currency: string): number | undefined {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.resolvedOptions().maximumFractionDigits;
}

describe("the table of currencies", () => {
  test("has as many codes of each exponent as the published list", () => {
    const counts = [0, 1, 2, 3, 4].map(
      (exponent) => currencyCodes.filter((code) => currencyExponent(code) === exponent).length,
    );
    expect(counts).toEqual([17, 0, 139, 7, 2]);
  });

  test("holds codes of three capital letters", () => {
    expect(currencyCodes.filter((code) => !/^[A-Z]{3}$/.test(code))).toEqual([]);
  });

  test("agrees with Intl but for the documented differences", () => {
    const differing = currencyCodes
      .filter((code) => intlCodes.includes(code))
      .filter((code) => intlDigits(code) !== currencyExponent(code));
    expect(differing.filter((code) => exponentsUnlikeIntl[code] === undefined)).toEqual([]);
  });

  test("lacks no code that Intl knows but those without a minor unit and those withdrawn", () => {
    const lacking = intlCodes.filter((code) => currencyExponent(code) === undefined);
    const documented = [...withoutMinorUnit, ...withdrawn];
    expect(lacking.filter((code) => !documented.includes(code))).toEqual([]);
  });

  test("has no code that Intl does not know but funds codes and young currencies", () => {
    const unknown = currencyCodes.filter((code) => !intlCodes.includes(code));
    expect(unknown.filter((code) => !unknownToSomeIntl.includes(code))).toEqual([]);
  });

  test("has no exponent above the maximum", () => {
    expect(Math.max(...currencyCodes.map((code) => currencyExponent(code) ?? 99))).toBe(
      maximumExponent,
    );
  });
});

describe("currencyExponent", () => {
  test.each(Object.entries({ ...exponentsUnlikeIntl, MRU: 2, USD: 2, JPY: 0, TND: 3, CLF: 4 }))(
    "%s has %i decimals",
    (code, exponent) => expect(currencyExponent(code)).toBe(exponent),
  );

  test.each([...withoutMinorUnit, ...withdrawn, "usd", "US", "USDX", "", "constructor", "2"])(
    "%j is not a currency that amounts can be counted in",
    (code) => expect(currencyExponent(code)).toBeUndefined(),
  );

  test("knows the currencies that Intl may not", () => {
    expect(unknownToSomeIntl.filter((code) => currencyExponent(code) === undefined)).toEqual([]);
  });
});
