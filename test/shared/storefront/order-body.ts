import type { BodyRules } from "../../../shared/storefront/body-faults.ts";
import { type Problem, ProblemError } from "../../../shared/storefront/problem.ts";
import {
  bodyInvalid,
  type OrderToCreate,
  readOrder,
} from "../../../shared/storefront/read-order.ts";
import { thrownBy } from "../../builders/thrown-by.ts";

export type Fields = Record<string, unknown>;

export const now = Date.UTC(2026, 10, 15, 1, 22, 45, 123);
export const minute = 60_000;

/** A goods object (§2.5): two at five each. */
export function goods(changes: Fields = {}): Fields {
  return {
    referenceGoodsId: "cup",
    goodsName: "Cup",
    goodsAmount: 5,
    goodsQuantity: 2,
    ...changes,
  };
}

/** The body of POST /orders in which nothing is wrong. */
export function orderBody(changes: Fields = {}, order: Fields = {}): Fields {
  return {
    order: { orderNo: "ORDER-1", orderAmount: 10, goods: [goods()], ...order },
    channel: "WEB",
    paymentAmount: 10,
    currency: "EUR",
    ...changes,
  };
}

/** The same with these fields of its one goods object. */
export function bodyWithGoods(changes: Fields, order: Fields = {}): Fields {
  return orderBody({}, { goods: [goods(changes)], ...order });
}

export const usualRules: BodyRules = {
  nowMilliseconds: now,
  redirects: {
    origins: ["https://shop.example", "http://localhost:3000", "myshop:"],
    loopback: false,
  },
  merchantIds: ["M1"],
  shortOrderNumbers: false,
  exactSums: true,
};

/** Reads the body of a new order. */
export function read(body: unknown, rules: Partial<BodyRules> = {}): OrderToCreate {
  const json = typeof body === "string" ? body : JSON.stringify(body);
  const order = readOrder(json, { ...usualRules, ...rules });
  if (order.faultsIfNew.length > 0) throw bodyInvalid(order.faultsIfNew);
  return order;
}

/** The problem that a body ends in. Fails the test if it is accepted, or anything else is thrown. */
export function problemWith(body: unknown, rules: Partial<BodyRules> = {}): Problem {
  return thrownBy(ProblemError, () => read(body, rules)).problem;
}

/** What is wrong with a body, as `pointer: sentence`. */
export function faultsOf(body: unknown, rules: Partial<BodyRules> = {}): string[] {
  const { errors = [] } = problemWith(body, rules);
  return errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
}
