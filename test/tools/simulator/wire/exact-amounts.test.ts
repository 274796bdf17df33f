import Big from "big.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decimalText, readMoney } from "../../../../tools/simulator/orders/money.ts";
import {
  JsonNumber,
  parseExactJson,
  writeExactJson,
} from "../../../../tools/simulator/wire/exact-json.ts";

test("JSON numbers keep the digits that a double would round", () => {
  const text = '{"a":[90071992547409.93,0.1],"b":"12\\"3","c":-1.50e2,"d":{},"e":[],"f":null}';
  const value = parseExactJson(text);
  const a = [new JsonNumber("90071992547409.93"), new JsonNumber("0.1")];
  expect(value).toMatchObject({ a });
  expect(writeExactJson(value as never)).toBe(text);
});

test("any JSON is the same after reading and writing, and nothing else is read", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.parse(writeExactJson(parseExactJson(text) as never))).toEqual(JSON.parse(text));
    }),
  );
  for (const text of ["{", "01", "'a'", "[1,]"]) expect(() => parseExactJson(text)).toThrow();
});

test("money is exact both ways, as another decimal library counts", () => {
  const decimals = { JPY: 0, EUR: 2, TND: 3, CLF: 4 };
  const currencies = fc.constantFrom("JPY", "EUR", "TND", "CLF");
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 18n - 1n), currencies, (minorUnits, currency) => {
      const places = decimals[currency];
      const text = new Big(minorUnits.toString()).div(new Big(10).pow(places)).toFixed(places);
      expect(decimalText({ currency, minorUnits })).toBe(text);
      expect(readMoney(text, currency)).toEqual({ currency, minorUnits });
    }),
  );
});

test.each([
  ["12.5000", "EUR", 1250n],
  ["12.505", "EUR", undefined],
  ["0.5", "JPY", undefined],
  ["-1", "EUR", undefined],
  ["1e2", "EUR", undefined],
  ["1", "XXX", undefined],
])("%s %s is read as %s minor units", (text, currency, minorUnits) => {
  expect(readMoney(text, currency)?.minorUnits).toBe(minorUnits);
});
