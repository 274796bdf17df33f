import { unexpected } from "../../../shared/errors/failures.ts";
import { smokeName } from "../../../shared/smoke-merchant.ts";
import type { RequestLine } from "../ports/request-line.ts";

/** The functions that handle requests, and the routes by which people choose them. */
export const routes = {
  callbacks: ["receive-callback"],
  storefront: ["create-order", "query-order"],
  "create-order": ["create-order"],
  "query-order": ["query-order"],
} as const satisfies Readonly<Record<string, readonly RequestLine["service"][]>>;

type RouteName = keyof typeof routes;

export const routeNames = ["callbacks", "storefront", "create-order", "query-order"] as const;

/** The classes of responses. Each response is in one class. */
export const answerClasses = ["answered", "refused", "wrong-request", "failed"] as const;

/** The HTTP statuses that the functions return. */
const answerStatuses = [
  "200",
  "201",
  "400",
  "401",
  "403",
  "404",
  "409",
  "413",
  "500",
  "502",
  "503",
  "504",
] as const;

export const answerNames = [...answerClasses, ...answerStatuses] as const;

export type AnswerClass = (typeof answerClasses)[number];

export const answerWords: Readonly<Record<AnswerClass, string>> = {
  answered: "2xx",
  refused: "a callback with a 4xx response, or a call that the payment service rejected",
  "wrong-request": "a storefront call with a 4xx response, or a probe of check or smoke",
  failed: "5xx, or an old status because the query to the payment service failed",
};

export function answerOf(line: RequestLine): AnswerClass {
  const { httpStatus, stage, reason } = line;
  if (line.service === "receive-callback") {
    if (httpStatus < 400) return "answered";
    if (httpStatus >= 500) return "failed";
    return isProbe(line) ? "wrong-request" : "refused";
  }
  // Even if the caller got 404. If the caller got a stored status, the query failed.
  if (httpStatus >= 400 && reason === "gateway-refused") return "refused";
  if (httpStatus >= 500 || (httpStatus < 400 && stage !== undefined)) return "failed";
  return httpStatus < 400 ? "answered" : "wrong-request";
}

/** Rejected on purpose: it needs no attention (shared/receiving/callback-line.ts). */
function isProbe({ reason, merchantId }: RequestLine): boolean {
  return reason === "empty-body" || merchantId === smokeName;
}

/** "POST /orders". Requests that match no route have none of these. */
export function routeOf(line: RequestLine): string {
  if (line.service === "receive-callback") return "POST /callbacks";
  if (line.service === "create-order") return "POST /orders";
  return line.route?.replace("+", "") ?? "no such route";
}

/** What the caller of the storefront got, if it got a problem. */
export function problemOf(line: RequestLine): string | undefined {
  return line.service === "receive-callback" ? undefined : line.problem;
}

/** Why a request failed. For an error that nobody expected this is its name. */
export function shownReason({ reason, errorName }: RequestLine): string | undefined {
  return reason === unexpected ? (errorName ?? reason) : reason;
}

/** The payment service's own code, if it gave one. */
export function serviceCodeOf(line: RequestLine): string | undefined {
  return line.service === "receive-callback" ? undefined : line.serviceCode;
}

export interface RequestFilter {
  readonly route?: RouteName | undefined;
  /** A class, or a status such as "401". */
  readonly answer?: string | undefined;
  /** A reason, a problem, the name of an error, or a code of the payment service. */
  readonly reason?: string | undefined;
  readonly merchantId?: string | undefined;
}

export function matches(line: RequestLine, filter: RequestFilter): boolean {
  const { route, answer, reason, merchantId } = filter;
  const services: readonly string[] = route === undefined ? [line.service] : routes[route];
  const reasons = [line.reason, problemOf(line), line.errorName, serviceCodeOf(line)];
  return (
    services.includes(line.service) &&
    (answer === undefined || [answerOf(line), String(line.httpStatus)].includes(answer)) &&
    (reason === undefined || reasons.includes(reason)) &&
    (merchantId === undefined || line.merchantId === merchantId)
  );
}

/**
 * The same in the language of CloudWatch Logs, so that it sends less. It may let through more than `matches` does, never
 * less.
 */
export function filterPattern({ answer, reason, merchantId }: RequestFilter): string {
  const parts = [answerPattern(answer)];
  if (reason !== undefined) {
    const names = ["reason", "problem", "errorName", "serviceCode"];
    parts.push(`(${names.map((name) => `$.${name} = "${reason}"`).join(" || ")})`);
  }
  if (merchantId !== undefined) parts.push(`($.merchantId = "${merchantId}")`);
  return `{ ${parts.join(" && ")} }`;
}

function answerPattern(answer: string | undefined): string {
  switch (answer) {
    case undefined:
      return "($.httpStatus > 0)";
    case "answered":
      return "($.httpStatus < 400)";
    case "wrong-request":
    case "refused":
      return "($.httpStatus >= 400)";
    case "failed":
      return '($.httpStatus >= 500 || $.stage = "*")';
    default:
      return `($.httpStatus = ${answer})`;
  }
}
