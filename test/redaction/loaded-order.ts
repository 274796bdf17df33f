import type { Canaries } from "./canary.ts";
import type { Path } from "./fields.ts";
import type { Fields } from "./loaded.ts";

/** A body of POST /orders that is accepted, with a canary in each of its fields that may hold one. */
export function loadedOrder(canaries: Canaries, changes: Fields = {}): Fields {
  const text = (place: string) => canaries.text(place);
  const amount = (place: string) => `${canaries.digits(place)}.25`;
  const goodsAmount = amount("goodsAmount");
  const tax = amount("tax");
  // Three of them: the answer to a wrong sum states the right one, and it must not be the amount of one of the goods.
  const goodsQuantity = 3;
  const sum = (each: string) => (Number(each) * goodsQuantity).toFixed(2);
  const paymentTime = canaries.time("paymentTime");
  return {
    order: {
      orderNo: canaries.text("orderNo", "id"),
      orderAmount: sum(goodsAmount),
      tips: amount("tips"),
      discount: amount("discount"),
      totalTax: sum(tax),
      insurance: amount("insurance"),
      handlingFee: amount("handlingFee"),
      shippingDiscount: amount("shippingDiscount"),
      orderDescription: text("orderDescription"),
      shipping: {
        shipType: "SHIPPING",
        amount: amount("shipping's amount"),
        name: text("receiver's name"),
        address: text("receiver's address"),
      },
      goods: [
        {
          referenceGoodsId: text("referenceGoodsId"),
          goodsName: text("goodsName"),
          goodsDesc: text("goodsDesc"),
          goodsAmount,
          tax,
          goodsQuantity,
        },
      ],
    },
    channel: "WEB",
    paymentAmount: amount("paymentAmount"),
    currency: "EUR",
    paymentTime,
    paymentExpiryTime: paymentTime + 86_000_000,
    callbackUrl: `https://merchant.example/${text("callbackUrl")}`,
    redirectUrl: `https://shop.example/${text("redirectUrl")}?name=${text("redirectUrl's query")}`,
    ...changes,
  };
}

/** A copy of the body with another value at the path. */
export function withValue(body: Fields, path: Path, value: unknown): Fields {
  const copy = structuredClone(body);
  const holder = path.slice(0, -1).reduce<Fields>((inner, step) => inner[step] as Fields, copy);
  holder[path.at(-1)!] = value;
  return copy;
}

export function valueIn(body: Fields, path: Path): unknown {
  return path.reduce<unknown>((inner, step) => (inner as Fields | undefined)?.[step], body);
}

/** The data of a successful create (§2.7). */
export function loadedPaymentData(canaries: Canaries, changes: Fields = {}): Fields {
  const data = {
    paymentId: canaries.text("paymentId", "id"),
    checkoutUrl: `https://pay.example/${canaries.text("checkoutUrl")}`,
    status: "pending",
    channel: canaries.text("channel of an answer"),
    further: canaries.text("further field of an answer"),
    ...changes,
  };
  return { code: 20000, msg: canaries.text("msg of an answer"), data };
}
