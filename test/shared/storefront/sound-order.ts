import Big from "big.js";
import fc from "fast-check";
import { currencyCodes, currencyExponent } from "../../../shared/money/currencies.ts";
import { type Fields, orderBody } from "./order-body.ts";

/** An amount of a currency that can be sent: as text, and sometimes as a number. */
const amountIn = (currency: string) =>
  fc.bigInt({ min: 1n, max: 999_999_999n }).chain((minor) => {
    const exponent = currencyExponent(currency) ?? 0;
    const text = Big(String(minor)).div(Big(10).pow(exponent)).toFixed(exponent);
    return fc.constantFrom<number | string>(text, Number(text));
  });

/** A body whose sums are right, in any currency. */
export const soundOrder = fc.constantFrom(...currencyCodes).chain((currency) =>
  fc
    .record({
      items: fc.array(
        fc.tuple(amountIn(currency), fc.integer({ min: 1, max: 99 }), amountIn(currency)),
        { minLength: 1, maxLength: 8 },
      ),
      paymentAmount: amountIn(currency),
      tips: amountIn(currency),
      orderNo: fc
        .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
        .filter((text) => [...text].length <= 64),
      useUnitName: fc.boolean(),
    })
    .map(({ items, paymentAmount, tips, orderNo, useUnitName }) => {
      const exponent = currencyExponent(currency) ?? 0;
      const sum = (of: (item: (typeof items)[number]) => number | string) =>
        items
          .reduce((total, item) => total.plus(Big(of(item)).times(item[1])), Big(0))
          .toFixed(exponent);
      const name = useUnitName ? "goodsUnitAmount" : "goodsAmount";
      const list = items.map(([amount, goodsQuantity, tax], index) => ({
        referenceGoodsId: `g${index}`,
        goodsName: "Name",
        [name]: amount,
        goodsQuantity,
        tax,
      }));
      const order = {
        orderNo,
        orderAmount: sum(([amount]) => amount),
        totalTax: sum(([, , tax]) => tax),
        tips,
        goods: list,
      };
      return orderBody({ currency, paymentAmount, order });
    }),
);

export const orderOf = (body: Fields) => body["order"] as Fields;
export const firstItem = (body: Fields) => (orderOf(body)["goods"] as Fields[])[0]!;

/** All amounts of a create body, each in its one spelling. */
export function amountsOf(body: Fields, goodsAmountName: string): string[] {
  const order = orderOf(body);
  const items = order["goods"] as Fields[];
  return [
    body["paymentAmount"],
    order["orderAmount"],
    order["totalTax"],
    order["tips"],
    ...items.flatMap((item) => [item[goodsAmountName], item["tax"], item["goodsQuantity"]]),
  ].map((amount) => Big(String(amount)).toFixed());
}
