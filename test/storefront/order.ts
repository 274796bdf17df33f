import { randomBytes } from "node:crypto";

export type Fields = Record<string, unknown>;

/** Each order of its own, so that tests cannot meet by their numbers. */
function newOrderNo(): string {
  return `ORDER-${randomBytes(5).toString("hex")}`;
}

/** A body of POST /orders that names a person and an address: canaries that no log may hold. */
export function orderBody(changes: Fields = {}, order: Fields = {}): Fields {
  return {
    order: {
      orderNo: newOrderNo(),
      orderAmount: 25,
      orderDescription: "canary-description",
      shipping: {
        shipType: "SHIPPING",
        name: "Canary-Name-Of-The-Consumer",
        address: "12 Canary Wharf, canary-address",
      },
      goods: [
        {
          referenceGoodsId: "cup",
          goodsName: "canary-goods-cup",
          goodsAmount: 10,
          goodsQuantity: 2,
        },
        {
          referenceGoodsId: "spoon",
          goodsName: "canary-goods-spoon",
          goodsAmount: 5,
          goodsQuantity: 1,
        },
      ],
      ...order,
    },
    channel: "WEB",
    paymentAmount: 25,
    currency: "EUR",
    ...changes,
  };
}

export function orderNoOf(body: Fields): string {
  return String((body["order"] as Fields)["orderNo"]);
}

/** What API Gateway hands to create-order, for a test that invokes one of several instances itself. */
export function createEvent(body: Fields): object {
  return { body: JSON.stringify(body), isBase64Encoded: false };
}
