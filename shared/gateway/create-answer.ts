import { withExactSubject } from "../facts/exact-fields.ts";
import { isResultObject, type ResultObject } from "../facts/subject.ts";
import { isSecureAddress } from "../http/web-address.ts";
import { isWithin } from "../text/characters.ts";
import { dataText, type Success } from "./call-gateway.ts";
import { GatewayError } from "./gateway-error.ts";

interface Returned {
  readonly paymentId: string;
  /** As the service sent it, shortened. It should be `pending` (§2.7). */
  readonly status: string | undefined;
  /** True if the service returned only the beginning of the order number: its callbacks will name another order. */
  readonly isNumberShortened: boolean;
}

/**
 * What the service returned for a creation. Every payment id is kept. `incomplete`: the consumer cannot be sent to the
 * payment, because the rest of the response is missing, or it is not as in §2.7 and §4. `other-order`: the payment
 * belongs to another order and must never be used for this one.
 */
export type CreateAnswer =
  | (Returned & { readonly state: "created"; readonly checkoutUrl: string })
  | (Returned & { readonly state: "incomplete" })
  | (Pick<Returned, "paymentId" | "status"> & { readonly state: "other-order" });

const longestPaymentId = 64;
const longestCheckoutUrl = 2048;
const longestStatus = 64;

/** Throws a `GatewayError` if there is no payment id. */
export function readCreateAnswer(success: Success, orderNo: string): CreateAnswer {
  const sent = success.data;
  const fields = withExactSubject(sent, dataText(success));
  if (!isResultObject(sent) || !isResultObject(fields)) throw new GatewayError("unreadable");
  const { paymentId } = fields;
  if (!isText(paymentId, longestPaymentId)) throw new GatewayError("unreadable");
  const status = shortText(fields["status"]);
  const named = namedOrder(fields) ?? orderNo;
  const isNumberShortened = isBeginningOf(named, orderNo);
  if (named !== orderNo && !isNumberShortened) return { state: "other-order", paymentId, status };
  const returned = { paymentId, status, isNumberShortened };
  const checkoutUrl = usableCheckoutUrl(fields);
  const isAsExpected = success.httpStatus === 200 && typeof sent["paymentId"] === "string";
  return isAsExpected && checkoutUrl !== undefined
    ? { state: "created", checkoutUrl, ...returned }
    : { state: "incomplete", ...returned };
}

/** Undefined if the response names no order: the field is missing, empty or no text. */
function namedOrder({ referOrderNo, outOrderNo }: ResultObject): string | undefined {
  return [referOrderNo, outOrderNo].find((name) => isText(name, Infinity));
}

function usableCheckoutUrl({ checkoutUrl }: ResultObject): string | undefined {
  const isUsable = isText(checkoutUrl, longestCheckoutUrl) && isSecureAddress(checkoutUrl);
  return isUsable ? checkoutUrl : undefined;
}

function isText(value: unknown, most: number): value is string {
  return typeof value === "string" && value !== "" && isWithin(value, most);
}

/** The response has 32 characters, the request 64 (§8), so a long number may be returned shortened. */
function isBeginningOf(named: string, sent: string): boolean {
  return named.length >= 32 && named !== sent && sent.startsWith(named);
}

function shortText(value: unknown): string | undefined {
  return typeof value === "string" ? value.slice(0, longestStatus) : undefined;
}
