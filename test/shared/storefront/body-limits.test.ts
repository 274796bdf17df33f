import { describe, expect, test } from "vitest";
import { ProblemError } from "../../../shared/storefront/problem.ts";
import { readOrder, requestText } from "../../../shared/storefront/read-order.ts";
import { thrownBy } from "../../builders/thrown-by.ts";
import {
  bodyWithGoods,
  faultsOf,
  goods,
  minute,
  now,
  orderBody,
  problemWith,
  read,
  usualRules,
} from "./order-body.ts";

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

  test("of a name and an address to ship to may be 1,024 characters", () => {
    const [name, address] = [cart.repeat(1_024), "a".repeat(1_024)];
    const shipping = { shipType: "SHIPPING", name, address };
    expect(read(orderBody({}, { shipping })).body).toMatchObject({ order: { shipping } });
  });
});

test.each([
  ["of the basic plane", "支"],
  ["outside of it", cart],
])("the largest order passes, with each character escaped, which is %s", (_case, character) => {
  const list = Array.from({ length: 100 }, () =>
    goods({
      referenceGoodsId: character.repeat(64),
      goodsName: character.repeat(256),
      goodsDesc: character.repeat(256),
      tax: 0.1,
    }),
  );
  const [name, address] = [character.repeat(1_024), character.repeat(1_024)];
  const order = {
    orderNo: character.repeat(64),
    orderAmount: 1_000,
    orderDescription: character.repeat(256),
    shipping: { shipType: "SHIPPING", name, address },
    goods: list,
  };
  const redirectUrl = `https://shop.example/${"x".repeat(2_027)}`;
  const json = JSON.stringify(orderBody({ redirectUrl }, order));
  const escaped = json.replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  expect(escaped.length).toBeGreaterThan(350_000);
  const text = requestText({ body: escaped, isBase64Encoded: false });
  expect(read(text).orderNo).toBe(character.repeat(64));
});

describe("a quantity", () => {
  const sold =
    (goodsQuantity: unknown, orderAmount: unknown, exactSums = true) =>
    () =>
      read(orderBody({}, { orderAmount, goods: [goods({ goodsAmount: "1.99", goodsQuantity })] }), {
        exactSums,
      }).body.order["goods"];

  test.each([
    [0.25, 0.25],
    ["1.5", 1.5],
    ["0.001", 0.001],
    ["3", 3],
    [7e-3, 0.007],
  ])("may have a fraction: %j is sent as %d", (goodsQuantity, sent) => {
    const body = read(bodyWithGoods({ goodsAmount: undefined, goodsQuantity })).body;
    expect(body.order["goods"]).toMatchObject([{ goodsQuantity: sent }]);
  });

  test.each([
    ["1.5", "2.98"],
    [1.5, "2.99"],
    ["2.00", "3.98"],
  ])("of %j may give an amount that is rounded either way: %s", (quantity, amount) => {
    expect(sold(quantity, amount)()).toHaveLength(1);
  });

  test.each([
    ["1.5", "2.97", "must be 2.98 to 2.99, by how each item is rounded, the sum of goodsAmount"],
    ["1.5", "3", "must be 2.98 to 2.99"],
    ["2.0", "3.97", "must be 3.98, the sum of goodsAmount"],
  ])("of %j for %s is no sum", (quantity, amount, words) => {
    const { errors = [] } = thrownBy(ProblemError, sold(quantity, amount)).problem;
    expect(errors).toMatchObject([
      { pointer: "/order/orderAmount", detail: expect.stringContaining(words) },
    ]);
  });
});

test("sums may differ if the config leaves them unchecked, and amounts still are checked", () => {
  const order = { orderAmount: 7, totalTax: 3, goods: [goods({ tax: 1 })] };
  expect(faultsOf(orderBody({}, order))).toHaveLength(2);
  expect(read(orderBody({}, order), { exactSums: false }).body.order["orderAmount"]).toBe(7);
  const wrong = orderBody({}, { ...order, orderAmount: "7.001" });
  expect(faultsOf(wrong, { exactSums: false })).toHaveLength(1);
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

  const future = "/paymentExpiryTime: paymentExpiryTime must be in the future.";

  test.each<[string, object, string[]]>([
    ["that is past", { paymentTime: now - 20 * minute, paymentExpiryTime: now - minute }, [future]],
    ["that is now", { paymentTime: now - 20 * minute, paymentExpiryTime: now }, [future]],
    ["a moment from now", { paymentTime: now - 20 * minute, paymentExpiryTime: now + 1 }, []],
    [
      "that is left out, and so is past",
      { paymentTime: now - 30 * minute },
      [
        "/paymentTime: paymentTime must be less than 30 minutes ago: without a paymentExpiryTime the order has expired.",
      ],
    ],
    ["that is left out, and is not past", { paymentTime: now - 29 * minute }, []],
    ["and a payment time a day ahead", { paymentTime: now + 1440 * minute }, []],
    [
      "and a payment time more than a day ahead",
      { paymentTime: now + 1440 * minute + 1 },
      ["/paymentTime: paymentTime must be at most 24 hours in the future."],
    ],
  ])("of a new order are now: an expiry %s", (_case, times, faults) => {
    const { faultsIfNew } = readOrder(JSON.stringify(orderBody({ ...times })), usualRules);
    expect(faultsIfNew.map(({ pointer, detail }) => `${pointer}: ${detail}`)).toEqual(faults);
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
    const body = orderBody({ paymentTime: "x", paymentExpiryTime: now + 1 });
    expect(faultsOf(body)).toEqual([
      "/paymentTime: paymentTime must be a time: milliseconds (13 digits) or seconds (10 digits) since 1970, or RFC 3339 with an offset.",
    ]);
  });
});

describe("the merchant", () => {
  const merchantIds = ["M1", "M2"];

  test("is named where there are several", () => {
    expect(faultsOf(orderBody(), { merchantIds })).toEqual([
      "/merchantId: merchantId is required: the stack has several merchants.",
    ]);
    expect(read(orderBody({ merchantId: "M2" }), { merchantIds }).merchantId).toBe("M2");
  });

  test.each(["M3", "", "toString", "m1"])("is one of the config: not %j", (merchantId) => {
    expect(faultsOf(orderBody({ merchantId }), { merchantIds })).toEqual([
      "/merchantId: merchantId must be a merchant of the stack's config.",
    ]);
    expect(faultsOf(orderBody({ merchantId }))).toHaveLength(1);
  });

  test("that is unknown has a problem of its own, which lists all other faults, too", () => {
    const problem = problemWith(orderBody({ merchantId: "M3", channel: "FAX" }), { merchantIds });
    expect(problem).toMatchObject({ type: "urn:paycast:problem:merchant-unknown", status: 400 });
    const pointers = problem.errors?.map(({ pointer }) => pointer);
    expect(pointers).toEqual(["/channel", "/merchantId"]);
    const { type } = problemWith(orderBody({ merchantId: 7 }), { merchantIds });
    expect(type).toBe("urn:paycast:problem:body-invalid");
  });
});
