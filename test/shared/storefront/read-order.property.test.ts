import Big from "big.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decryptBody } from "../../../shared/envelope/cipher.ts";
import { sealRequest } from "../../../shared/envelope/seal-envelope.ts";
import { currencyExponent } from "../../../shared/money/currencies.ts";
import { ProblemError } from "../../../shared/storefront/problem.ts";
import { readOrder } from "../../../shared/storefront/read-order.ts";
import { makeMerchant } from "../../builders/merchant.ts";
import { anyProfile, canSeal } from "../../builders/profile.ts";
import { draws } from "../../setup/draws.ts";
import { type Fields, goods, minute, now, orderBody, read, usualRules } from "./order-body.ts";
import { amountsOf, firstItem, orderOf, soundOrder } from "./sound-order.ts";

/** Reads anything; gives the problem, or nothing where it is accepted. Whatever else is thrown fails the test. */
function tryRead(json: string): ProblemError | undefined {
  try {
    readOrder(json, usualRules);
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

const anything = fc.anything({ withNullPrototype: false, maxDepth: 4 });
const awkward = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>({ length: 0 }, { length: 1e9 }, { toString: 1 }, [[[]]], "__proto__"),
  fc.double(),
  fc.string({ unit: "binary" }),
);

const optionalNames = ["redirectUrl", "paymentTime", "paymentExpiryTime", "merchantId"];
const orderNames = ["orderNo", "orderAmount", "tips", "totalTax", "shipping", "goods"];

/** A proper body with something else in some of its places. */
const spoiledBody = fc
  .record({
    top: fc.dictionary(
      fc.constantFrom(...Object.keys(orderBody()), ...optionalNames, "__proto__"),
      awkward,
      { maxKeys: 2 },
    ),
    order: fc.dictionary(fc.constantFrom(...orderNames, "constructor"), awkward, { maxKeys: 2 }),
    item: fc.dictionary(
      fc.constantFrom("goodsAmount", "goodsUnitAmount", "goodsQuantity", "tax", "goodsName"),
      awkward,
      { maxKeys: 2 },
    ),
  })
  .map(({ top, order, item }) =>
    orderBody({
      order: { ...(orderBody()["order"] as Fields), goods: [goods(item)], ...order },
      ...top,
    }),
  );

describe("no body throws anything but a problem", () => {
  test("not any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void tryRead(text)));
  });

  test("not any JSON", () => {
    const json = fc.oneof(
      fc.json(),
      anything.map((value) => JSON.stringify(value) ?? ""),
    );
    fc.assert(fc.property(json, (text) => void tryRead(text)));
  });

  test("not an order with anything in any place, and every pointer leads to where the fault is", () => {
    fc.assert(
      fc.property(spoiledBody, (body) => {
        const json = JSON.stringify(body);
        for (const { pointer, detail } of tryRead(json)?.problem.errors ?? []) {
          expect(pointer).toMatch(/^(\/[^/]*)*$/);
          expect(detail).toMatch(/^\S.*\.$/s);
          expect(parentExists(JSON.parse(json), pointer)).toBe(true);
        }
      }),
      { numRuns: draws(500) },
    );
  });
});

/** Whether all steps but the last, which may name what is missing, can be taken. */
function parentExists(body: unknown, pointer: string): boolean {
  const steps = pointer
    .split("/")
    .slice(1, -1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  let at: unknown = body;
  for (const step of steps) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return false;
    at = Reflect.get(at, step);
  }
  return true;
}

describe("an order that adds up", () => {
  test("is accepted, and what is sealed states exactly the amounts given, in every profile", () => {
    const sealable = anyProfile.filter(canSeal);
    fc.assert(
      fc.property(soundOrder, sealable, (sent, profile) => {
        const merchant = makeMerchant({ profile });
        const { body } = read(sent);
        const request = sealRequest(
          { merchantId: "M1", method: "service.trade.create", body, nowMilliseconds: now },
          { ...merchant.service, profile },
        );
        const sealed = String(JSON.parse(request)["body"]);
        const { bytes } = decryptBody(sealed, merchant.service.aesKey, profile);
        const wire: Fields = JSON.parse(bytes.toString());
        expect(amountsOf(wire, profile.goodsAmountName)).toEqual(
          amountsOf(sent, "goodsUnitAmount" in firstItem(sent) ? "goodsUnitAmount" : "goodsAmount"),
        );
        expect(wire).toMatchObject({ order: { orderNo: orderOf(sent)["orderNo"] } });
        expect(Number(wire["paymentExpiryTime"]) - Number(wire["paymentTime"])).toBe(30 * minute);
      }),
      { numRuns: draws(60) },
    );
  });

  test("is refused as soon as its amount is off by the smallest unit", () => {
    fc.assert(
      fc.property(soundOrder, fc.constantFrom("orderAmount", "totalTax"), (sent, name) => {
        const exponent = currencyExponent(String(sent["currency"])) ?? 0;
        const order = orderOf(sent);
        const off = Big(String(order[name])).plus(Big(10).pow(-exponent)).toFixed(exponent);
        const problem = tryRead(JSON.stringify({ ...sent, order: { ...order, [name]: off } }));
        expect(problem?.problem.errors).toMatchObject([{ pointer: `/order/${name}` }]);
      }),
      { numRuns: draws(60) },
    );
  });
});
