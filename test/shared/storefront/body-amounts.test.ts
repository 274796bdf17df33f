import { describe, expect, test } from "vitest";
import { bodyWithGoods, type Fields, faultsOf, goods, orderBody, read } from "./order-body.ts";

/** A body in a currency, of one good at this price. */
function priced(currency: string, amount: unknown, quantity = 1, total: unknown = amount): Fields {
  const item = goods({ goodsAmount: amount, goodsQuantity: quantity });
  return orderBody({ currency, paymentAmount: total }, { orderAmount: total, goods: [item] });
}

const detailOf = (body: Fields) =>
  faultsOf(body).map((fault) => fault.slice(fault.indexOf(": ") + 2));
const precise = "has more decimals than its currency.";
const malformed = "is not a plain decimal number such as 12.30.";
const tooLong = "is too long: at most 18 digits before the decimal point.";
const inexact = "has more than the 15 digits that can be sent exactly.";

describe("an amount is refused", () => {
  test.each([
    ["EUR", 1.005, precise],
    ["JPY", 10.5, precise],
    ["TND", "1.2345", precise],
    ["EUR", -1, "has a minus sign."],
    ["EUR", "-0.00", "has a minus sign."],
    ["EUR", "", malformed],
    ["EUR", "12,30", malformed],
    ["EUR", " 12.30", malformed],
    ["EUR", "0x10", malformed],
    ["EUR", "NaN", malformed],
    ["EUR", "1e-3", precise],
    ["EUR", "9".repeat(19), tooLong],
    ["EUR", "12345678901234.56", inexact],
    ["EUR", 99999999999999.98, inexact],
  ])("in %s if it is %j", (currency, amount, predicate) => {
    const body = orderBody({ currency }, { tips: amount, orderAmount: 10 });
    expect(detailOf(body)).toEqual([`order.tips ${predicate}`]);
  });

  test("if nothing is to be paid", () => {
    expect(faultsOf(orderBody({ paymentAmount: "0.00" }))).toEqual([
      "/paymentAmount: paymentAmount is zero.",
    ]);
    expect(read(orderBody({}, { tips: 0, discount: "0" })).orderNo).toBe("ORDER-1");
  });

  test.each(["10.00000000000000001", "12345678901234567.89", "1.00000000000000001E+1"])(
    "if a number is written as %s, wherever it stands and however often",
    (text) => {
      const json = JSON.stringify(orderBody({ paymentAmount: "X" }, { tips: "X" }));
      const detail =
        "The number cannot be read exactly as it is written; send it as a plain decimal string.";
      expect(faultsOf(json.replaceAll('"X"', text))).toEqual([
        `/order/tips: ${detail}`,
        `/paymentAmount: ${detail}`,
      ]);
    },
  );
});

describe("without a currency that is known", () => {
  test.each([
    [-1, "has a minus sign."],
    ["12,30", malformed],
    ["1e-5", "has more decimals than any currency."],
    ["9".repeat(19), tooLong],
    ["0.12345", "has more decimals than any currency."],
  ])("an amount of %j is a fault all the same", (tips, predicate) => {
    const body = orderBody({ currency: "eur" }, { tips });
    expect(detailOf(body)).toEqual([
      "currency must be a current ISO 4217 code in capitals, such as USD.",
      `order.tips ${predicate}`,
    ]);
  });

  test("so is nothing to pay, and a good with both names of its amount", () => {
    const item = goods({ goodsUnitAmount: 5 });
    const body = orderBody({ currency: undefined, paymentAmount: "0.00" }, { goods: [item] });
    expect(faultsOf(body).map((fault) => fault.split(":")[0])).toEqual([
      "/currency",
      "/paymentAmount",
      "/order/goods/0/goodsUnitAmount",
    ]);
  });

  test("an amount that some currency has is no fault", () => {
    expect(faultsOf(orderBody({ currency: "eur" }, { tips: "0.1234" }))).toHaveLength(1);
  });
});

describe("the sum over the goods", () => {
  test.each([
    ["in cents that no double holds", "EUR", 0.1, 3, 0.3],
    ["where floats come out wrong", "EUR", 1.1, 3, 3.3],
    ["where floats come out wrong by a cent", "EUR", 4.35, 100, 435],
    ["in a currency without decimals", "JPY", 333, 3, 999],
    ["in thousandths", "TND", "0.001", 7, "0.007"],
    ["in ten-thousandths", "CLF", "0.0001", 3, 0.0003],
    ["at the edge of what a number holds", "EUR", "1111111111111.11", 9, "9999999999999.99"],
  ])("is exact %s", (_case, currency, amount, quantity, total) => {
    expect(read(priced(currency, amount, quantity, total)).amount.currency).toBe(currency);
  });

  test("is reported where the order's amount is another", () => {
    expect(faultsOf(priced("EUR", 0.1, 3, 0.31))).toEqual([
      "/order/orderAmount: order.orderAmount must be 0.30, the sum of goodsAmount times goodsQuantity over the goods.",
    ]);
  });

  test("counts all goods, by either name of their amount", () => {
    const { goodsAmount: _goodsAmount, ...unnamed } = goods();
    const two = [goods(), { ...unnamed, goodsUnitAmount: "2.50", goodsQuantity: "4" }];
    expect(read(orderBody({}, { orderAmount: "20.00", goods: two })).orderNo).toBe("ORDER-1");
    expect(faultsOf(orderBody({}, { orderAmount: 10, goods: two }))).toHaveLength(1);
  });

  test.each(["goodsAmount", "goodsQuantity"])("is not asked where a good has no %s", (name) => {
    const goodsList = [goods(), { ...goods(), [name]: undefined }];
    expect(read(orderBody({}, { orderAmount: 3, goods: goodsList })).orderNo).toBe("ORDER-1");
  });

  test("is refused where it is more than an amount holds, not passed over", () => {
    const price = { goodsAmount: "9999999999999.99", goodsQuantity: "999999999999999" };
    expect(faultsOf(bodyWithGoods(price))).toEqual([
      "/order/orderAmount: order.orderAmount is not valid: the sum over the goods is too large for an amount.",
    ]);
  });

  test("of taxes is held against the total tax alike", () => {
    const taxed = (totalTax: unknown) =>
      bodyWithGoods({ tax: 0.1, goodsQuantity: 3 }, { orderAmount: 15, totalTax });
    expect(read(taxed(0.3)).orderNo).toBe("ORDER-1");
    expect(faultsOf(taxed(0.2))).toEqual([
      "/order/totalTax: order.totalTax must be 0.30, the sum of tax times goodsQuantity over the goods.",
    ]);
    expect(read(taxed(undefined)).orderNo).toBe("ORDER-1");
  });

  test("says nothing where an amount of it cannot be read anyway", () => {
    expect(faultsOf(bodyWithGoods({ goodsAmount: "five" }))).toEqual([
      "/order/goods/0/goodsAmount: order.goods.0.goodsAmount is not a plain decimal number such as 12.30.",
    ]);
  });
});

describe("the two names of a good's amount", () => {
  test("may not stand side by side, even if they agree", () => {
    expect(faultsOf(bodyWithGoods({ goodsUnitAmount: 5 }))).toEqual([
      "/order/goods/0/goodsUnitAmount: order.goods.0.goodsUnitAmount must be left out: goodsAmount is the same field under another name.",
    ]);
  });

  test.each(["goodsAmount", "goodsUnitAmount"])("are one on the wire, sent as %s", (name) => {
    const { goodsAmount: _goodsAmount, ...unnamed } = goods();
    const body = orderBody({}, { goods: [{ ...unnamed, [name]: "5.00" }] });
    expect(read(body).body).toMatchObject({ order: { goods: [{ goodsAmount: 5 }] } });
    expect(JSON.stringify(read(body).body)).not.toContain("goodsUnitAmount");
  });
});
