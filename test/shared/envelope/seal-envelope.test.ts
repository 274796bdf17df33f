import { createDecipheriv, verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { ProfileInput } from "../../../shared/envelope/profile.ts";
import { sealRequest } from "../../../shared/envelope/seal-envelope.ts";
import { sentAt } from "../../builders/callback.ts";
import { makeMerchant, merchantPair, type TestMerchant } from "../../builders/merchant.ts";

const order = { orderNo: "A-1", goods: [{ goodsAmount: 1.5, goodsQuantity: 2, note: "a&b=c" }] };

/** What the merchant sends is signed with its own key. */
function sealedRequest(merchant: TestMerchant, body: object = order): Record<string, unknown> {
  const { merchantId, service } = merchant;
  const request = { merchantId, method: "service.trade.create", body, nowMilliseconds: sentAt };
  return JSON.parse(sealRequest(request, { ...service, privateKey: merchantPair().privateKey }));
}

/** The default cipher, undone by hand. */
function decrypted(merchant: TestMerchant, body: unknown): string {
  const decipher = createDecipheriv("aes-256-cbc", merchant.service.aesKey, Buffer.alloc(16));
  return decipher.update(String(body), "base64", "utf8") + decipher.final("utf8");
}

describe("a request (§2.1)", () => {
  const merchant = makeMerchant();
  const sealed = sealedRequest(merchant);

  test("has the fields of the interface and no others", () => {
    expect(sealed).toEqual({
      merchantId: merchant.merchantId,
      method: "service.trade.create",
      format: "json",
      charset: "utf-8",
      encryptType: "AES",
      signType: "RSA",
      timestamp: sentAt,
      body: expect.any(String),
      sign: expect.any(String),
    });
  });

  test("carries its body encrypted, and a signature over the plain body among the sorted fields", () => {
    const plain = JSON.stringify(order);
    expect(decrypted(merchant, sealed["body"])).toBe(plain);
    const text =
      `body=${plain}&charset=utf-8&encryptType=AES&format=json&merchantId=${merchant.merchantId}` +
      `&method=service.trade.create&signType=RSA&timestamp=${sentAt}`;
    const sign = Buffer.from(String(sealed["sign"]), "base64");
    const { publicKey } = merchantPair();
    expect(verify("sha256", Buffer.from(text), publicKey, sign)).toBe(true);
    expect(verify("sha256", Buffer.from(`${text} `), publicKey, sign)).toBe(false);
  });
});

describe("how the profile spells what is sent", () => {
  const bodyOf = (profile: ProfileInput, body: object) => {
    const merchant = makeMerchant({ profile });
    return JSON.parse(decrypted(merchant, sealedRequest(merchant, body)["body"]));
  };

  test("numbers are numbers, or strings everywhere, the timestamp included", () => {
    const body = { amount: 12.5, deep: [{ quantity: 3 }], text: "7", yes: true, none: null };
    expect(bodyOf({}, body)).toEqual(body);
    expect(bodyOf({ numbers: "string" }, body)).toEqual({
      ...body,
      amount: "12.5",
      deep: [{ quantity: "3" }],
    });
    const strings = makeMerchant({ profile: { numbers: "string" } });
    expect(sealedRequest(strings)["timestamp"]).toBe(String(sentAt));
  });

  test("a good's amount is sent under the name that the profile says", () => {
    const body = { goodsAmount: 1, goodsName: "A" };
    expect(bodyOf({}, body)).toEqual(body);
    expect(bodyOf({ goodsAmountName: "goodsUnitAmount" }, { deep: [body] })).toEqual({
      deep: [{ goodsUnitAmount: 1, goodsName: "A" }],
    });
  });

  test("a body's own __proto__ field is data", () => {
    const body: object = JSON.parse('{"__proto__":{"a":1}}');
    expect(Object.keys(bodyOf({}, body))).toEqual(["__proto__"]);
  });
});
