import Big from "big.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decimalText, readMoney } from "../../../simulator/orders/money.ts";
import { JsonNumber, parseExactJson, writeExactJson } from "../../../simulator/wire/exact-json.ts";

describe("JSON with exact numbers", () => {
  test("keeps the digits that a double would round", () => {
    const text =
      '{"a":[90071992547409.93,0.1],"b":"12\\"3","c":-1.50e2,"d":{},"e":[],"f":null,"g":true}';
    const value = parseExactJson(text);
    expect(value).toMatchObject({
      a: [new JsonNumber("90071992547409.93"), new JsonNumber("0.1")],
    });
    expect(writeExactJson(value as never)).toBe(text);
  });

  test("reads and writes any JSON as it stands", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(writeExactJson(parseExactJson(text) as never))).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([["{"], ["01"], ["'a'"], [""], ["[1,]"]])("refuses %o", (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });
});

describe("money", () => {
  test("is exact both ways, as another decimal library counts", () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 10n ** 18n - 1n),
        fc.constantFrom("JPY", "EUR", "TND", "CLF"),
        (minorUnits, currency) => {
          const decimals = { JPY: 0, EUR: 2, TND: 3, CLF: 4 }[currency];
          const text = new Big(minorUnits.toString())
            .div(new Big(10).pow(decimals))
            .toFixed(decimals);
          expect(decimalText({ currency, minorUnits })).toBe(text);
          expect(readMoney(text, currency)).toEqual({ currency, minorUnits });
        },
      ),
    );
  });

  test.each([
    ["12.5", "EUR", 1250n],
    ["12.5000", "EUR", 1250n],
    ["500.00", "JPY", 500n],
    ["0.001", "TND", 1n],
  ])("reads %s %s as %d minor units", (text, currency, minorUnits) => {
    expect(readMoney(text, currency)).toEqual({ currency, minorUnits });
  });

  test.each([
    ["12.505", "EUR"],
    ["0.5", "JPY"],
    ["-1", "EUR"],
    ["1e2", "EUR"],
    ["9".repeat(19), "EUR"],
    ["1", "XXX"],
  ])("does not read %o %s", (text, currency) => {
    expect(readMoney(text, currency)).toBeUndefined();
  });
});
