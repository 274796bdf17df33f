import { describe, expect, test } from "vitest";
import { bodyWithGoods, type Fields, faultsOf, goods, orderBody } from "./order-body.ts";

const cart = "🛒";

describe("goods and shipping are refused with a pointer and a sentence", () => {
  test.each<[what: string, body: Fields, fault: string]>([
    [
      "no goods",
      orderBody({}, { goods: undefined }),
      "/order/goods: order.goods must be an array.",
    ],
    [
      "an empty list of goods",
      orderBody({}, { goods: [] }),
      "/order/goods: order.goods must hold at least one good.",
    ],
    [
      "a hundred and one goods",
      orderBody({}, { orderAmount: 1010, goods: Array(101).fill(goods()) }),
      "/order/goods: order.goods must hold at most 100 goods.",
    ],
    [
      "goods without an id",
      bodyWithGoods({ referenceGoodsId: undefined }),
      "/order/goods/0/referenceGoodsId: order.goods.0.referenceGoodsId must be a string.",
    ],
    [
      "goods with an id that is too long",
      bodyWithGoods({ referenceGoodsId: "g".repeat(65) }),
      "/order/goods/0/referenceGoodsId: order.goods.0.referenceGoodsId must be at most 64 characters long.",
    ],
    [
      "goods without a name",
      bodyWithGoods({ goodsName: "" }),
      "/order/goods/0/goodsName: order.goods.0.goodsName must not be empty.",
    ],
    [
      "goods with a name that is too long",
      bodyWithGoods({ goodsName: cart.repeat(257) }),
      "/order/goods/0/goodsName: order.goods.0.goodsName must be at most 256 characters long.",
    ],
    [
      "goods with a description that is too long",
      bodyWithGoods({ goodsDesc: cart.repeat(257) }),
      "/order/goods/0/goodsDesc: order.goods.0.goodsDesc must be at most 256 characters long.",
    ],
    ...[0, -1, 1.5, "0", "2.0", "two", true].map((goodsQuantity): [string, Fields, string] => [
      `a quantity of ${JSON.stringify(goodsQuantity)}`,
      bodyWithGoods({ goodsQuantity }),
      "/order/goods/0/goodsQuantity: order.goods.0.goodsQuantity must be a whole number, 1 or more.",
    ]),
    [
      "another way of shipping",
      orderBody({}, { shipping: { shipType: "DRONE", name: "A" } }),
      '/order/shipping/shipType: order.shipping.shipType must be one of "SHIPPING", "PICKUP_IN_STORE", "PICKUP_FROM_PERSON".',
    ],
    [
      "shipping to nobody",
      orderBody({}, { shipping: { shipType: "SHIPPING" } }),
      "/order/shipping/name: order.shipping.name must be a string.",
    ],
    [
      "an empty name to ship to",
      orderBody({}, { shipping: { shipType: "SHIPPING", name: "" } }),
      "/order/shipping/name: order.shipping.name must not be empty.",
    ],
    [
      "half a character in the address",
      orderBody({}, { shipping: { shipType: "SHIPPING", name: "A", address: "\ud83d" } }),
      "/order/shipping/address: order.shipping.address must be well-formed text.",
    ],
    [
      "a shipping field that is not there",
      orderBody({}, { shipping: { shipType: "SHIPPING", name: "A", phone: "1" } }),
      "/order/shipping/phone: order.shipping.phone must be left out: there is no such field.",
    ],
    [
      "a quantity that cannot even be made text",
      bodyWithGoods({ goodsQuantity: { toString: 1 } }),
      "/order/goods/0/goodsQuantity: order.goods.0.goodsQuantity must be a whole number, 1 or more.",
    ],
  ])("for %s", (_, body, fault) => {
    expect(faultsOf(body)).toEqual([fault]);
  });
});
