import type { OrderName } from "../orders/creation-store.ts";
import { ProblemError } from "./problem.ts";

/** In a path it means that the number is in the query string. Without one there it is the order number "-". */
const numberInQuery = "-";

/**
 * The path that leads to an order. API Gateway decodes a path before it looks for the route: it cuts the path at an
 * escaped question mark, and may decode what is left once more. So a number that needs escapes is in the query string,
 * which is decoded exactly once.
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

/** The number that a request asks for. */
export function requestedOrderNo(
  inPath: string | undefined,
  inQuery: string | undefined,
): string | undefined {
  return inPath === numberInQuery && inQuery !== undefined ? inQuery : inPath;
}

/** The merchant that a request names. If it names none, the stack's only merchant. Throws a `ProblemError`. */
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
