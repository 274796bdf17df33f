import { JsonNumber, type WritableJson } from "../wire/exact-json.ts";
import type { AnswerFault } from "./fault.ts";

export type IncompleteFault = Extract<AnswerFault, { kind: "incomplete-answer" }>;

interface CreateData {
  readonly paymentId: string;
  readonly checkoutUrl: string;
  readonly [name: string]: WritableJson;
}

/** The data of a create response (§2.7) in which one field is missing or not as the interface says. */
export function makeIncomplete(data: CreateData, how: IncompleteFault["how"]): WritableJson {
  const { checkoutUrl, ...rest } = data;
  switch (how) {
    case "no-address":
      return rest;
    case "long-address":
      return { ...data, checkoutUrl: `${checkoutUrl}?${"x".repeat(2048)}` };
    case "unsafe-address":
      return { ...data, checkoutUrl: "javascript:alert(1)" };
    case "number-id":
      return { ...data, paymentId: new JsonNumber(data.paymentId) };
    case "other-order":
      return { ...data, referOrderNo: "of-somebody-else" };
    case "http-201":
      return data;
  }
}
