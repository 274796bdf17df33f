import { randomUUID } from "node:crypto";
import { encryptBody } from "../../shared/envelope/cipher.ts";
import { signBytes } from "../../shared/envelope/signature.ts";
import { signedBytes, type WireFields } from "../../shared/envelope/signed-bytes.ts";
import type { TestMerchant } from "../builders/merchant.ts";
import type { Canaries } from "./canary.ts";

export type Fields = Record<string, unknown>;

export interface Route {
  readonly routeKey: string;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly pathParameters?: Record<string, string>;
  readonly query?: Record<string, string>;
}

/** Headers that clients, proxies and API Gateway send. */
const headerNames = [
  "authorization",
  "cookie",
  "forwarded",
  "from",
  "host",
  "origin",
  "referer",
  "traceparent",
  "user-agent",
  "x-amz-security-token",
  "x-amzn-trace-id",
  "x-api-key",
  "x-forwarded-for",
];

/** Makes requests as API Gateway gives them to a function, with a canary everywhere but in what the route needs. */
export function createRequests(canaries: Canaries): (route: Route) => object {
  const all = (names: readonly string[], where: string) =>
    Object.fromEntries(names.map((name) => [name, canaries.text(`${where} ${name}`)]));
  const iam = all(["accessKey", "callerId", "userArn", "userId", "principalOrgId"], "caller's");
  const further = canaries.text("query parameter");
  const surroundings = {
    version: "2.0",
    rawPath: `/${canaries.text("raw path")}`,
    rawQueryString: `q=${canaries.text("raw query")}`,
    cookies: [`session=${canaries.text("cookie")}`],
    headers: { ...all(headerNames, "header"), [canaries.text("name of a header")]: "1" },
    stageVariables: all(["stage"], "variable of"),
    requestContext: {
      domainName: canaries.text("domain name"),
      requestId: randomUUID(),
      authorizer: { iam, jwt: { claims: all(["sub", "email", "name"], "claim"), scopes: null } },
      http: { ...all(["path", "userAgent"], "context's"), sourceIp: canaries.text("source IP") },
    },
  };
  return ({ query, ...route }) => ({
    ...surroundings,
    isBase64Encoded: false,
    ...route,
    queryStringParameters: { ...query, further },
  });
}

/** What an order's callback states (§2.11), with a canary in each field that does not decide its outcome. */
export function loadedPayment(canaries: Canaries, changes: Fields = {}): Fields {
  return {
    ...loadedResult(canaries),
    referOrderNo: canaries.text("referOrderNo", "id"),
    paymentAmount: Number(`${canaries.digits("paymentAmount")}.25`),
    currency: "EUR",
    paymentTime: canaries.time("paymentTime"),
    status: "success",
    ...changes,
  };
}

/** What a refund's callback states (§2.12). */
export function loadedRefund(canaries: Canaries, changes: Fields = {}): Fields {
  return {
    ...loadedResult(canaries),
    refundId: canaries.text("refundId", "id"),
    paymentId: canaries.text("paymentId", "id"),
    referRefundNo: canaries.text("referRefundNo"),
    refundAmount: Number(`${canaries.digits("refundAmount")}.25`),
    refundTime: canaries.time("refundTime"),
    status: "refund_success",
    ...changes,
  };
}

function loadedResult(canaries: Canaries): Fields {
  return {
    transactionId: canaries.text("transactionId"),
    completeTime: canaries.time("completeTime"),
    msg: canaries.text("msg"),
    consumer: { name: canaries.text("nested text"), addresses: [canaries.text("text in a list")] },
    [canaries.text("name of a result's field")]: 1,
  };
}

interface ToSeal {
  readonly result: object | string | Buffer;
  readonly eventName?: string;
  readonly id?: string;
  readonly nowMilliseconds?: number;
  /** Further fields of the envelope, or other values of its own; all are signed. */
  readonly fields?: Fields;
}

/** A callback that the service signed, with a canary in a further field. */
export function sealLoaded(canaries: Canaries, merchant: TestMerchant, toSeal: ToSeal): Fields {
  const { service, merchantId } = merchant;
  const { profile, aesKey, privateKey } = service;
  const { result, nowMilliseconds = Date.now() } = toSeal;
  const isText = typeof result === "string" || Buffer.isBuffer(result);
  const plaintext = Buffer.from(isText ? result : JSON.stringify({ merchantId, ...result }));
  const body = encryptBody(plaintext, aesKey, profile);
  const fields = {
    id: toSeal.id ?? randomUUID(),
    merchantId,
    eventName: toSeal.eventName ?? "payment.order.success",
    timestamp: nowMilliseconds,
    body,
    note: canaries.text("further field of the envelope"),
    ...toSeal.fields,
  };
  const signedBody = profile.signs === "ciphertext" ? Buffer.from(String(fields.body)) : plaintext;
  const wire = { fields: wireFieldsOf(fields), text: JSON.stringify(fields) };
  const signed = signedBytes(wire, signedBody, profile);
  return { ...fields, sign: signBytes(privateKey, signed, profile) };
}

/** Values other than text and numbers are signed as they are written. */
function wireFieldsOf(fields: Fields): WireFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" || name === "timestamp"
        ? String(value)
        : { source: JSON.stringify(value) },
    ]),
  );
}

/** The forms in which one field can hold a canary. */
export function formsOf(canaries: Canaries, place: string): [form: string, value: unknown][] {
  const text = () => canaries.text(place);
  return [
    ["text", text()],
    ["text after an amount", `12.30 ${text()}`],
    ["text after a time", `1794705764123${text()}`],
    ["long text", `${text()}${"x".repeat(1_100)}`],
    ["a number", Number(canaries.digits(place))],
    ["a list", [text()]],
    ["an object", { [canaries.text(place, "name")]: text() }],
    ["JSON in text", JSON.stringify({ inner: text() })],
  ];
}
