import { hash } from "node:crypto";
import { decodeUtf8 } from "../envelope/text.ts";
import type { CreateRequestBody } from "../gateway/operations.ts";
import { type RequestBody, readRequestBody } from "../http/request-body.ts";
import { parseJson } from "../json/parse-json.ts";
import { type Amount, amountToNumber, readAmount } from "../money/amount.ts";
import { defaultLifetimeMilliseconds } from "../timing.ts";
import { type BodyRules, findFaults } from "./body-faults.ts";
import { type CreateBody, createBodySchema } from "./create-body.ts";
import { type Fault, ProblemError } from "./problem.ts";

/** An order that passed every check, with its defaults filled in. */
export interface OrderToCreate {
  readonly merchantId: string | undefined;
  readonly orderNo: string;
  readonly amount: Amount;
  readonly channel: CreateBody["channel"];
  readonly paymentTimeMilliseconds: number;
  readonly expiresAtMilliseconds: number;
  /**
   * Hash of the caller's request, without defaults and `callbackUrl`. A repeat has the same hash; another order has
   * not.
   */
  readonly contentHash: string;
  /** The create body as it is sent to the service, without `callbackUrl` (§2.3). */
  readonly body: CreateRequestBody;
  /** Faults that count only if the order does not exist yet. */
  readonly faultsIfNew: readonly Fault[];
}

/** Keeps the response small. A body with more faults was probably never meant as an order. */
const mostFaults = 500;

/** Throws a `ProblemError` that lists every fault. `requestText` limits the length of the text. */
export function readOrder(json: string, rules: BodyRules): OrderToCreate {
  const body = readJson(json);
  const { always, ifNew } = findFaults(json, body, rules);
  if (always.length > 0) throw bodyInvalid([...always, ...ifNew]);
  const order = toOrder(createBodySchema.parse(body), Object(body), rules.nowMilliseconds);
  return { ...order, faultsIfNew: ifNew };
}

export function bodyInvalid(faults: readonly Fault[]): ProblemError {
  if (faults.length <= mostFaults) {
    return new ProblemError("body-invalid", undefined, { errors: faults });
  }
  const detail = `Fix the fields and send the request again. \`errors\` lists the first ${mostFaults} of ${faults.length} faults.`;
  const errors = faults.slice(0, mostFaults);
  return new ProblemError("body-invalid", detail, { errors });
}

function toOrder(
  body: CreateBody,
  sent: object,
  nowMilliseconds: number,
): Omit<OrderToCreate, "faultsIfNew"> {
  const { merchantId, order, currency, channel, redirectUrl } = body;
  const paymentTime = body.paymentTime ?? nowMilliseconds;
  const paymentExpiryTime = body.paymentExpiryTime ?? paymentTime + defaultLifetimeMilliseconds;
  const paymentAmount = wireAmount(body.paymentAmount, currency);
  const wire = { order: wireOrder(order, currency), channel, paymentAmount, currency };
  return {
    merchantId,
    orderNo: order.orderNo,
    amount: readAmount(body.paymentAmount, currency),
    channel,
    paymentTimeMilliseconds: paymentTime,
    expiresAtMilliseconds: paymentExpiryTime,
    contentHash: contentHashOf(sent),
    body: { ...wire, paymentTime, paymentExpiryTime, redirectUrl },
  };
}

function wireOrder(order: CreateBody["order"], currency: string): CreateRequestBody["order"] {
  const { goods, shipping, orderNo, orderDescription, ...amounts } = order;
  return {
    orderNo,
    orderDescription,
    ...wireAmounts(amounts, currency),
    shipping: shipping && { ...shipping, ...wireAmounts({ amount: shipping.amount }, currency) },
    goods: goods.map((item) => wireGoods(item, currency)),
  };
}

function wireGoods(item: CreateBody["order"]["goods"][number], currency: string): object {
  const { goodsAmount, goodsUnitAmount, tax, goodsQuantity, ...texts } = item;
  return {
    ...texts,
    ...wireAmounts({ goodsAmount: goodsAmount ?? goodsUnitAmount, tax }, currency),
    goodsQuantity: goodsQuantity === undefined ? undefined : Number(goodsQuantity),
  };
}

function wireAmounts(
  amounts: Record<string, number | string | undefined>,
  currency: string,
): Record<string, number | undefined> {
  return Object.fromEntries(
    Object.entries(amounts).map(([name, value]) => [
      name,
      value === undefined ? undefined : wireAmount(value, currency),
    ]),
  );
}

function wireAmount(value: number | string, currency: string): number {
  return amountToNumber(readAmount(value, currency));
}

/** 22 characters are 132 bits: enough to distinguish the contents of one order number, in little space. */
const hashCharacters = 22;

/** The caller's `callbackUrl` is not sent to the service, so it does not count. */
function contentHashOf(sent: object): string {
  const counted = Object.entries(sent).filter(([name]) => name !== "callbackUrl");
  const text = canonical(Object.fromEntries(counted));
  return hash("sha256", text, "base64url").slice(0, hashCharacters);
}

/** The same text for the same content, whatever the order of names. The schema limits the depth. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function readJson(text: string): unknown {
  const json = parseJson(text);
  if (json !== undefined) return json;
  const errors = [{ pointer: "", detail: "The body is not JSON." }];
  throw new ProblemError("body-invalid", "Send the order as JSON.", { errors });
}

/** A request's body as text. Throws a `ProblemError`. */
export function requestText(request: RequestBody): string {
  const bytes = readRequestBody(request);
  if (bytes === "too-large") throw new ProblemError("body-too-large");
  const text = bytes === "not-base64" ? undefined : decodeUtf8(bytes);
  if (text !== undefined) return text;
  const errors = [{ pointer: "", detail: "The body is not UTF-8." }];
  throw new ProblemError("body-invalid", "Send the order as JSON in UTF-8.", { errors });
}
