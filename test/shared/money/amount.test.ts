import Big from "big.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import {
  addAmounts,
  amountOfMinorUnits,
  amountToNumber,
  formatAmount,
  isReadable,
  multiplyAmount,
  readAmount,
  readAmountWithoutCurrency,
  readPositiveAmount,
  sameAmount,
} from "../../../shared/money/amount.ts";
import { currencyCodes, currencyExponent } from "../../../shared/money/currencies.ts";
import { draws } from "../../setup/draws.ts";

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof PaycastError) return error.code;
    throw error;
  }
  return "accepted";
}

const exponentOf = (currency: string): number => currencyExponent(currency)!;
const bigOf = (minor: bigint, currency: string): Big => Big(`${minor}e-${exponentOf(currency)}`);

const anyCurrency = fc.constantFrom(...currencyCodes);
const minorUnits = (max: bigint) => fc.bigInt({ min: 0n, max });
/** Up to 18 digits before the decimal point and all the currency's decimals behind it. */
const anyAmount = anyCurrency.chain((currency) =>
  fc.record({
    currency: fc.constant(currency),
    minor: fc.oneof(minorUnits(10_000n), minorUnits(10n ** BigInt(18 + exponentOf(currency)) - 1n)),
  }),
);

describe("readAmount", () => {
  test.each([
    ["12.30", "USD", "12.30", "1230"],
    [12.3, "USD", "12.30", "1230"],
    ["12", "USD", "12.00", "1200"],
    [0.07, "USD", "0.07", "7"],
    ["0", "USD", "0.00", "0"],
    [0, "JPY", "0", "0"],
    [500, "JPY", "500", "500"],
    ["1.25", "TND", "1.250", "1250"],
    [1.001, "TND", "1.001", "1001"],
    ["0.0001", "CLF", "0.0001", "1"],
    [999999999999999, "JPY", "999999999999999", "999999999999999"],
    ["123456789012345678.99", "USD", "123456789012345678.99", "12345678901234567899"],
  ])("reads %j %s as %s, %s minor units", (input, currency, value, minor) => {
    expect(readAmount(input, currency)).toEqual({ value, minor, currency });
  });

  test.each([
    ["12.300", "USD", "12.30"],
    [`12.3${"0".repeat(36)}`, "USD", "12.30"],
    ["500.00", "JPY", "500"],
    ["0.000", "JPY", "0"],
  ])(
    "takes zeros beyond the currency's decimals for what they are: %s %s",
    (input, currency, value) => {
      expect(readAmount(input, currency).value).toBe(value);
    },
  );

  test.each([
    ["12.345", "USD", "amount-too-precise"],
    [12.345, "USD", "amount-too-precise"],
    ["0.5", "JPY", "amount-too-precise"],
    ["1.2501", "TND", "amount-too-precise"],
    [0.1 + 0.2, "USD", "amount-too-precise"],
    [1e-7, "USD", "amount-too-precise"],
    ["-1", "USD", "amount-negative"],
    [-0.01, "USD", "amount-negative"],
    ["-0", "USD", "amount-negative"],
    [-0, "USD", "amount-negative"],
    ["1e-3", "USD", "amount-too-precise"],
    ["1e-999999999", "USD", "amount-too-precise"],
    ["1e18", "USD", "amount-too-large"],
    ["1e999999999", "USD", "amount-too-large"],
    [`${"1".repeat(65)}e0`, "USD", "amount-too-large"],
    ["-1e-1", "USD", "amount-negative"],
    ["1e", "USD", "amount-malformed"],
    ["01e2", "USD", "amount-malformed"],
    ["1e2e3", "USD", "amount-malformed"],
    [Number.NaN, "USD", "amount-malformed"],
    [Number.POSITIVE_INFINITY, "USD", "amount-malformed"],
    [Number.NEGATIVE_INFINITY, "USD", "amount-malformed"],
    ["NaN", "USD", "amount-malformed"],
    ["Infinity", "USD", "amount-malformed"],
    ["", "USD", "amount-malformed"],
    [" 1", "USD", "amount-malformed"],
    ["1 ", "USD", "amount-malformed"],
    ["1\n", "USD", "amount-malformed"],
    ["+1", "USD", "amount-malformed"],
    ["01", "USD", "amount-malformed"],
    ["00", "USD", "amount-malformed"],
    [".5", "USD", "amount-malformed"],
    ["5.", "USD", "amount-malformed"],
    ["1,50", "USD", "amount-malformed"],
    ["1_000", "USD", "amount-malformed"],
    ["0x10", "USD", "amount-malformed"],
    ["1.2.3", "USD", "amount-malformed"],
    ["١٢", "USD", "amount-malformed"],
    [null, "USD", "amount-malformed"],
    [undefined, "USD", "amount-malformed"],
    [true, "USD", "amount-malformed"],
    [12n, "USD", "amount-malformed"],
    [["1"], "USD", "amount-malformed"],
    [{ toString: () => "1" }, "USD", "amount-malformed"],
    ["1234567890123456789", "USD", "amount-too-large"],
    [`1.${"0".repeat(39)}`, "USD", "amount-too-large"],
    [2 ** 53, "JPY", "amount-inexact"],
    [1000000000000000, "JPY", "amount-inexact"],
    [1e21, "JPY", "amount-too-large"],
    [90071992547409.91, "USD", "amount-inexact"],
    [10000000000000, "USD", "amount-inexact"],
    ["1", "usd", "currency-unknown"],
    ["1", "XAU", "currency-unknown"],
    ["1", "", "currency-unknown"],
  ])("refuses %o %s as %s", (input, currency, code) => {
    expect(codeOf(() => readAmount(input, currency))).toBe(code);
  });

  test("refuses a text of any length", () => {
    const endless = "9".repeat(1_000_000);
    expect(codeOf(() => readAmount(endless, "USD"))).toBe("amount-too-large");
    expect(codeOf(() => readAmount(`1.${endless}x`, "USD"))).toBe("amount-too-large");
  });

  test("says what is wrong without repeating what was sent", () => {
    expect(() => readAmount("12.345", "USD")).toThrow(
      "The amount has more decimals than its currency.",
    );
    expect(() => readAmount("<script>", "USD")).toThrow(/^The amount is not a plain decimal/);
    expect(() => readAmount("1", "<script>")).toThrow(/^The currency is not a current ISO 4217/);
  });

  test("reads what big.js reads, whatever zeros follow", () => {
    fc.assert(
      fc.property(anyAmount, fc.nat(10), ({ minor, currency }, zeros) => {
        const exponent = exponentOf(currency);
        const text = bigOf(minor, currency).toFixed(exponent + zeros);
        const amount = readAmount(text, currency);
        expect(amount.value).toBe(Big(text).toFixed(exponent));
        expect(amount.minor).toBe(String(minor));
      }),
    );
  });

  test("never reads a JSON number of the currency's decimals as another amount", () => {
    fc.assert(
      fc.property(anyAmount, ({ minor, currency }) => {
        const literal = bigOf(minor, currency).toFixed();
        const read = () => readAmount(JSON.parse(literal), currency);
        if (String(minor).length > 15) expect(codeOf(read)).not.toBe("accepted");
        else expect(read().minor).toBe(String(minor));
      }),
      { numRuns: draws(1000) },
    );
  });

  test("throws nothing but PaycastError, whatever the input", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true }), fc.string(), (input, text) => {
        codeOf(() => readAmount(input, "USD"));
        codeOf(() => readAmount(text, "USD"));
        codeOf(() => readAmount("1", text));
        codeOf(() => readAmountWithoutCurrency(input));
      }),
    );
  });
});

describe("readPositiveAmount", () => {
  test.each([0, "0", "0.00"])("refuses %j", (input) => {
    expect(codeOf(() => readPositiveAmount(input, "USD"))).toBe("amount-zero");
  });

  test("reads the smallest amount there is", () => {
    expect(readPositiveAmount("0.01", "USD").minor).toBe("1");
  });

  test("refuses what readAmount refuses", () => {
    expect(codeOf(() => readPositiveAmount(-1, "USD"))).toBe("amount-negative");
  });
});

describe("readAmountWithoutCurrency", () => {
  test.each([
    ["12.30", "12.3"],
    ["1.23E+1", "12.3"],
    ["123e-1", "12.3"],
    [12.3, "12.3"],
    ["500.00", "500"],
    [0, "0"],
    ["0.0001", "0.0001"],
    [99999999999.9999, "99999999999.9999"],
  ])("reads %j as %s", (input, value) => {
    expect(readAmountWithoutCurrency(input)).toEqual({ value });
  });

  test.each([
    ["0.00001", "amount-too-precise"],
    ["-1", "amount-negative"],
    ["1e-5", "amount-too-precise"],
    ["", "amount-malformed"],
    ["1234567890123456789", "amount-too-large"],
    [2 ** 53, "amount-inexact"],
    [123456789012.3456, "amount-inexact"],
  ])("refuses %j as %s", (input, code) => {
    expect(codeOf(() => readAmountWithoutCurrency(input))).toBe(code);
  });

  test("keeps all that the amount needs once its currency is known", () => {
    fc.assert(
      fc.property(anyAmount, ({ minor, currency }) => {
        const amount = amountOfMinorUnits(minor, currency);
        const { value } = readAmountWithoutCurrency(amount.value);
        expect(readAmount(value, currency)).toEqual(amount);
      }),
    );
  });
});

describe("an amount", () => {
  test("goes from minor units to text and back without loss, also beyond 2^53", () => {
    fc.assert(
      fc.property(anyAmount, ({ minor, currency }) => {
        const amount = amountOfMinorUnits(minor, currency);
        expect(amount.value).toBe(bigOf(minor, currency).toFixed(exponentOf(currency)));
        expect(readAmount(amount.value, currency)).toEqual(amount);
        expect(BigInt(amount.minor)).toBe(minor);
      }),
    );
  });

  test("survives JSON", () => {
    const amount = readAmount("123456789012345678.99", "USD");
    expect(JSON.parse(JSON.stringify(amount))).toEqual(amount);
  });

  test("is written for people with its currency behind it", () => {
    expect(formatAmount(readAmount(12.3, "USD"))).toBe("12.30 USD");
  });

  test.each([
    [-1n, "USD", "amount-negative"],
    [1n, "XXX", "currency-unknown"],
  ])("is not made of %s minor units of %s", (minor, currency, code) => {
    expect(codeOf(() => amountOfMinorUnits(minor, currency))).toBe(code);
  });
});

describe("amountToNumber", () => {
  test("gives a JSON number that reads as the same amount, or refuses", () => {
    fc.assert(
      fc.property(anyAmount, ({ minor, currency }) => {
        const amount = amountOfMinorUnits(minor, currency);
        const send = () => JSON.stringify(amountToNumber(amount));
        if (amount.minor.length > 15) expect(codeOf(send)).toBe("amount-inexact");
        else expect(readAmount(JSON.parse(send()), currency)).toEqual(amount);
      }),
      { numRuns: draws(1000) },
    );
  });

  test("never sends exponent notation", () => {
    expect(JSON.stringify(amountToNumber(readAmount("0.0001", "CLF")))).toBe("0.0001");
    expect(JSON.stringify(amountToNumber(readAmount("999999999999999", "JPY")))).toBe(
      "999999999999999",
    );
  });
});

describe("addAmounts", () => {
  test("gives the exact sum", () => {
    fc.assert(
      fc.property(
        anyCurrency,
        fc.array(minorUnits(10n ** 16n), { maxLength: 20 }),
        (currency, minors) => {
          const sum = addAmounts(
            minors.map((minor) => amountOfMinorUnits(minor, currency)),
            currency,
          );
          const expected = minors.reduce(
            (total, minor) => total.plus(bigOf(minor, currency)),
            Big(0),
          );
          expect(sum.value).toBe(expected.toFixed(exponentOf(currency)));
        },
      ),
    );
  });

  test("does not add as floats do", () => {
    const tenths = [0.1, 0.2].map((tenth) => readAmount(tenth, "USD"));
    expect(addAmounts(tenths, "USD").value).toBe("0.30");
  });

  test("gives zero for no amounts", () => {
    expect(addAmounts([], "TND")).toEqual({ value: "0.000", minor: "0", currency: "TND" });
  });

  test("refuses another currency", () => {
    const amounts = [readAmount(1, "USD"), readAmount(1, "CAD")];
    expect(codeOf(() => addAmounts(amounts, "USD"))).toBe("currency-mismatch");
    expect(codeOf(() => addAmounts(amounts.slice(0, 1), "CAD"))).toBe("currency-mismatch");
  });

  test("has no limit: only input has one", () => {
    const huge = readAmount("9".repeat(18), "USD");
    const sum = addAmounts([huge, huge], "USD");
    expect(sum.value).toBe(`1${"9".repeat(17)}8.00`);
    expect([huge, sum].map(isReadable)).toEqual([true, false]);
    expect(codeOf(() => readAmount(sum.value, "USD"))).toBe("amount-too-large");
  });
});

describe("multiplyAmount", () => {
  test("gives the exact product", () => {
    fc.assert(
      fc.property(
        anyCurrency,
        minorUnits(10n ** 9n),
        fc.nat(1_000_000_000),
        (currency, minor, quantity) => {
          const { low, high } = multiplyAmount(amountOfMinorUnits(minor, currency), quantity);
          const expected = bigOf(minor, currency).times(quantity);
          expect(low.value).toBe(expected.toFixed(exponentOf(currency)));
          expect(high).toEqual(low);
        },
      ),
    );
  });

  test.each([
    ["1.5", "2.98", "2.99"],
    [1.5, "2.98", "2.99"],
    ["2.00", "3.98", "3.98"],
    ["0.5", "0.99", "1.00"],
    ["1e-2", "0.01", "0.02"],
  ])("gives the nearest amounts for a quantity with a fraction: %j", (quantity, low, high) => {
    const product = multiplyAmount(readAmount("1.99", "USD"), quantity);
    expect(product).toMatchObject({ low: { value: low }, high: { value: high } });
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "two", "", null])(
    "refuses the quantity %j",
    (quantity) => {
      expect(codeOf(() => multiplyAmount(readAmount(1, "USD"), quantity))).toMatch(/^amount-/);
    },
  );

  test("has no limit", () => {
    const huge = readAmount("9".repeat(18), "JPY");
    expect(multiplyAmount(huge, 2).high.value).toBe(`1${"9".repeat(17)}8`);
  });
});

describe("sameAmount", () => {
  test("distinguishes amounts by value and currency, not by spelling", () => {
    const few = fc.record({ currency: fc.constantFrom("USD", "CAD", "TND"), cents: fc.nat(3) });
    fc.assert(
      fc.property(few, few, fc.nat(3), (left, right, zeros) => {
        const read = ({ currency, cents }: typeof left, extraZeros: number) =>
          readAmount(
            Big(cents)
              .div(100)
              .toFixed(2 + extraZeros),
            currency,
          );
        const expected = left.currency === right.currency && Big(left.cents).eq(right.cents);
        expect(sameAmount(read(left, 0), read(right, zeros))).toBe(expected);
      }),
    );
  });

  test("holds nothing of one currency to be nothing of another", () => {
    expect(sameAmount(readAmount(0, "USD"), readAmount(0, "CAD"))).toBe(false);
  });
});
