import { memberSources } from "../envelope/source-text.ts";
import { plainDecimal } from "../money/exact-numbers.ts";
import { PaycastError } from "../paycast-error.ts";
import { isResultObject } from "./subject.ts";

/** The fields of a result object that say who and what (§2.9, §2.11, §2.12). */
const ids = [
  "merchantId",
  "referOrderNo",
  "outOrderNo",
  "transactionId",
  "paymentId",
  "refundId",
  "referRefundNo",
];
const amounts = ["paymentAmount", "payAmount", "refundAmount"];
const subjects = ["referOrderNo", "outOrderNo", "paymentId"];

/**
 * The result object with each number in the fields above as text, because JSON.parse may have rounded it: `1E+3` is
 * "1000". Throws `number-inexact` if a number has no exact reading. Times and fields that the interface does not name may
 * hold any number.
 */
export function withExactFields(result: unknown, json: string): unknown {
  const exact = exactFields(result, json, [...ids, ...amounts]);
  if (Object.values(exact).includes(undefined)) {
    throw new PaycastError("number-inexact", "A number cannot be read exactly as it is written.");
  }
  return withFields(result, exact);
}

/** The same for the fields that name an aggregate. One that has no exact reading is left out. */
export function withExactSubject(result: unknown, json: string): unknown {
  return withFields(result, exactFields(result, json, subjects));
}

type ExactFields = Readonly<Record<string, string | undefined>>;

const none: ExactFields = {};

function exactFields(result: unknown, json: string, names: readonly string[]): ExactFields {
  if (!isResultObject(result)) return none;
  const numbers = names.filter((name) => typeof result[name] === "number");
  if (numbers.length === 0) return none;
  const sources = memberSources(json);
  return Object.fromEntries(numbers.map((name) => [name, readNumber(name, sources.get(name))]));
}

/** Some senders write an id of digits as a number. It must be a whole one. */
function readNumber(name: string, written = ""): string | undefined {
  const decimal = plainDecimal(written);
  return ids.includes(name) && decimal?.includes(".") ? undefined : decimal;
}

function withFields(result: unknown, exact: ExactFields): unknown {
  return exact === none || !isResultObject(result) ? result : { ...result, ...exact };
}
