import type { OrderName } from "../orders/creation-store.ts";
import { ProblemError } from "./problem.ts";

/** In a path: the order number is in the query string. If there is none, it is the order number "-" itself. */
const numberInQuery = "-";

/**
 * The path of an order. API Gateway decodes a path before it matches the route: it cuts the path at an escaped question
 * mark and may decode the rest once more. A number that needs escapes is therefore sent in the query string, which is
 * decoded exactly once.
 */
export function locationOf({ merchantId, orderNo }: OrderName, hasMerchants: boolean): string {
  const escaped = encodeURIComponent(orderNo);
  const isPlain = escaped === orderNo;
  const query = [
    ...(isPlain ? [] : [`orderNo=${escaped}`]),
    ...(hasMerchants ? [`merchantId=${encodeURIComponent(merchantId)}`] : []),
  ].join("&");
  return `/orders/${isPlain ? orderNo : numberInQuery}${query === "" ? "" : `?${query}`}`;
}

/** The order number of a request. */
export function requestedOrderNo(
  inPath: string | undefined,
  inQuery: string | undefined,
): string | undefined {
  return inPath === numberInQuery && inQuery !== undefined ? inQuery : inPath;
}

/** The merchant of a request, by default the stack's only merchant. Throws a `ProblemError`. */
export function chooseMerchant(named: string | undefined, configured: readonly string[]): string {
  const [only, ...others] = configured;
  if (named === undefined && only !== undefined && others.length === 0) return only;
  if (named !== undefined && configured.includes(named)) return named;
  const detail =
    named === undefined
      ? "This stack has several merchants. Name one of them in `merchantId`."
      : "No merchant of this stack has this `merchantId`. Use one that the stack is configured for.";
  throw new ProblemError("merchant-unknown", detail);
}
