import { describe, expect, test } from "vitest";
import { faultsOf, now, orderBody, problemWith } from "./order-body.ts";

const pointersOf = (body: unknown) => faultsOf(body).map((fault) => fault.split(":")[0]);

describe("all faults of a body", () => {
  test("are reported at once, each at its own place", () => {
    const json = JSON.stringify({
      merchantId: "nobody",
      order: {
        orderNo: "",
        orderAmount: "EXP",
        goods: [
          { referenceGoodsId: "g", goodsName: "n", goodsAmount: 1, goodsUnitAmount: 1 },
          { referenceGoodsId: "g", goodsName: "n", tax: -1, goodsQuantity: 0 },
          { referenceGoodsId: "g", goodsName: "n", goodsAmount: "ROUNDED" },
        ],
        shipping: { amount: 0.001, name: "n" },
        totalTax: "1.234",
      },
      paymentAmount: 0,
      currency: "EUR",
      paymentExpiryTime: now,
      redirectUrl: "https://evil.example/",
      callbackUrl: 7,
    })
      .replace('"EXP"', "1.00000000000000001e1")
      .replace('"ROUNDED"', "0.1000000000000000055511151231257827");
    expect(pointersOf(json)).toEqual([
      "/order/orderNo",
      "/order/shipping/shipType",
      "/order/goods/1/goodsQuantity",
      "/channel",
      "/callbackUrl",
      "/merchantId",
      "/order/orderAmount",
      "/order/goods/2/goodsAmount",
      "/paymentAmount",
      "/order/totalTax",
      "/order/shipping/amount",
      "/order/goods/1/tax",
      "/order/goods/0/goodsUnitAmount",
      "/redirectUrl",
      "/paymentExpiryTime",
    ]);
    expect(problemWith(json).detail).toBe("Name one of the stack's merchants in `merchantId`.");
  });

  test("are counted, and listed up to a bound, so that the answer can be sent", () => {
    const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_item, i) => [`k${i}`, 1]));
    const problem = problemWith(orderBody(fields));
    expect(problem.errors).toHaveLength(500);
    expect(problem.detail).toBe(
      "Fix the fields and send the request again. `errors` lists the first 500 of 20000 faults.",
    );
  });

  test("are reported together with goods that are too many, whose own faults are not", () => {
    const list = Array(101).fill({ goodsName: 7, goodsAmount: "EXP", tax: -1 });
    const json = JSON.stringify({
      merchantId: "nobody",
      order: { orderNo: "", orderAmount: "-1", goods: list, shipping: { name: "n", amount: "x" } },
      channel: "FAX",
      paymentAmount: "EXP",
      currency: "EUR",
      paymentExpiryTime: now,
      redirectUrl: "https://evil.example/",
    }).replaceAll('"EXP"', "1.00000000000000001e1");
    expect(pointersOf(json)).toEqual([
      "/order/orderNo",
      "/order/shipping/shipType",
      "/order/goods",
      "/channel",
      "/merchantId",
      "/paymentAmount",
      "/order/orderAmount",
      "/order/shipping/amount",
      "/redirectUrl",
      "/paymentExpiryTime",
    ]);
  });

  test("are reported once each, also where an expiry is wrong twice over", () => {
    const body = orderBody({ channel: "FAX", paymentExpiryTime: "EXP" });
    const json = JSON.stringify(body).replace('"EXP"', "1.7e12");
    expect(pointersOf(json)).toEqual(["/channel", "/paymentExpiryTime"]);
  });
});
