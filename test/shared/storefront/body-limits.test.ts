import { describe, expect, test } from "vitest";
import { readOrder } from "../../../shared/storefront/read-order.ts";
import { faultsOf, goods, minute, now, orderBody, read, usualRules } from "./order-body.ts";

const cart = "🛒";

describe("the length of a text", () => {
  test("is counted in characters, whatever their size", () => {
    const [short, long] = [cart.repeat(64), cart.repeat(256)];
    const item = goods({ referenceGoodsId: short, goodsName: long, goodsDesc: long });
    const order = { orderNo: short, orderDescription: long, goods: [item] };
    expect(read(orderBody({}, order)).orderNo).toBe(short);
  });

  test.each([
    [32, []],
    [33, [["/order/orderNo", expect.stringContaining("must be at most 32 characters long")]]],
  ])("of an order number, where the service shortens it: %i characters", (length, faults) => {
    const order = orderBody({}, { orderNo: cart.repeat(length) });
    const rules = { ...usualRules, shortOrderNumbers: true };
    const { faultsIfNew } = readOrder(JSON.stringify(order), rules);
    expect(faultsIfNew.map(({ pointer, detail }) => [pointer, detail])).toEqual(faults);
  });

  test("of a name and an address to ship to has no limit but the body's", () => {
    const [name, address] = [cart.repeat(20_000), "a".repeat(99_999)];
    const shipping = { shipType: "SHIPPING", name, address };
    expect(read(orderBody({}, { shipping })).body).toMatchObject({ order: { shipping } });
  });

  test("may be nothing where the interface asks for none", () => {
    const shipping = { shipType: "SHIPPING", name: "A", address: "" };
    const order = { shipping, orderDescription: "", goods: [goods({ goodsDesc: "" })] };
    expect(read(orderBody({}, order)).body).toMatchObject({
      order: { shipping, orderDescription: "", goods: [{ goodsDesc: "" }] },
    });
  });
});

describe("the times", () => {
  const outside =
    "/paymentExpiryTime: paymentExpiryTime must be 5 minutes to 24 hours after paymentTime.";

  test.each([
    ["5 minutes", 5 * minute, true],
    ["a moment less", 5 * minute - 1, false],
    ["24 hours", 1440 * minute, true],
    ["a moment more", 1440 * minute + 1, false],
    ["no time at all", 0, false],
    ["less than nothing", -minute, false],
  ])("may be apart by %s: %i ms, %s", (_case, lifetime, allowed) => {
    const paymentTime = now + 3 * minute;
    const both = orderBody({ paymentTime, paymentExpiryTime: paymentTime + lifetime });
    const text = orderBody({
      paymentTime: String(paymentTime),
      paymentExpiryTime: String(paymentTime + lifetime),
    });
    const fromNow = orderBody({ paymentExpiryTime: now + lifetime });
    for (const body of [both, text, fromNow]) {
      if (allowed) expect(read(body).expiresAtMilliseconds).toBeGreaterThan(now);
      else expect(faultsOf(body)).toEqual([outside]);
    }
  });

  test("may be written as the payment service may write them, and are sent as milliseconds", () => {
    const forms = [
      [1_794_705_765, 1_794_707_565],
      ["1794705765", "1794707565"],
      ["2026-11-15T01:22:45Z", "2026-11-15T10:52:45+09:00"],
    ];
    for (const [paymentTime, paymentExpiryTime] of forms) {
      const { body, ...order } = read(orderBody({ paymentTime, paymentExpiryTime }));
      const [sent, expires] = [1_794_705_765_000, 1_794_707_565_000];
      expect(body).toMatchObject({ paymentTime: sent, paymentExpiryTime: expires });
      expect(order).toMatchObject({
        paymentTimeMilliseconds: sent,
        expiresAtMilliseconds: expires,
      });
    }
  });

  test("that are no times are not held against each other", () => {
    const body = orderBody({ paymentTime: "x", paymentExpiryTime: now });
    expect(faultsOf(body)).toEqual([
      "/paymentTime: paymentTime must be a time: milliseconds (13 digits) or seconds (10 digits) since 1970, or RFC 3339 with an offset.",
    ]);
  });
});

describe("the merchant", () => {
  const merchantIds = ["M1", "M2"];

  test("is named where there are several", () => {
    expect(faultsOf(orderBody(), { merchantIds })).toEqual([
      "/merchantId: merchantId must be given: the stack has several merchants.",
    ]);
    expect(read(orderBody({ merchantId: "M2" }), { merchantIds }).merchantId).toBe("M2");
  });

  test.each(["M3", "", "toString", "m1"])("is one of the config: not %j", (merchantId) => {
    expect(faultsOf(orderBody({ merchantId }), { merchantIds })).toEqual([
      "/merchantId: merchantId must be a merchant of the stack's config.",
    ]);
    expect(faultsOf(orderBody({ merchantId }))).toHaveLength(1);
  });
});
