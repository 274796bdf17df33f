import type { CreateRequestBody } from "../gateway/operations.ts";
import { type RequestBody, readRequestBody } from "../http/request-body.ts";
import { parseJson } from "../json/parse-json.ts";
import { type Amount, amountToNumber, readAmount } from "../money/amount.ts";
import { type ContentDigests, digestsOf } from "../orders/content-digests.ts";
import { defaultLifetimeMilliseconds } from "../timing.ts";
import { type BodyRules, findFaults } from "./body-faults.ts";
import { mostOrderBytes } from "./body-limits.ts";
import { type CreateBody, createBodySchema } from "./create-body.ts";
import { type Fault, ProblemError } from "./problem.ts";
import { isReplaced } from "./text-faults.ts";

/** An order that passed every check, with its defaults filled in. */
export interface OrderToCreate {
  readonly merchantId: string | undefined;
  readonly orderNo: string;
  readonly amount: Amount;
  readonly channel: CreateBody["channel"];
  readonly paymentTimeMilliseconds: number;
  readonly expiresAtMilliseconds: number;
  /**
   * Of what is sent to the service, without the two times, which §2.3 wants fresh. A repeat has the same digests,
   * however its caller wrote it.
   */
  readonly content: ContentDigests;
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
  const { isMerchantUnknown, always, ifNew } = findFaults(json, body, rules);
  const kind = isMerchantUnknown ? "merchant-unknown" : "body-invalid";
  if (always.length > 0) throw bodyInvalid([...always, ...ifNew], kind);
  const order = toOrder(createBodySchema.parse(body), rules.nowMilliseconds);
  return { ...order, faultsIfNew: ifNew };
}

export function bodyInvalid(
  faults: readonly Fault[],
  kind: "body-invalid" | "merchant-unknown" = "body-invalid",
): ProblemError {
  if (faults.length <= mostFaults) return new ProblemError(kind, undefined, { errors: faults });
  const detail = `Fix the fields and send the request again. \`errors\` lists the first ${mostFaults} of ${faults.length} faults.`;
  const errors = faults.slice(0, mostFaults);
  return new ProblemError(kind, detail, { errors });
}

function toOrder(body: CreateBody, nowMilliseconds: number): Omit<OrderToCreate, "faultsIfNew"> {
  const { merchantId, order, currency, channel, redirectUrl } = body;
  const paymentTime = body.paymentTime ?? nowMilliseconds;
  const paymentExpiryTime = body.paymentExpiryTime ?? paymentTime + defaultLifetimeMilliseconds;
  const paymentAmount = wireAmount(body.paymentAmount, currency);
  const wire = { order: wireOrder(order, currency), channel, paymentAmount, currency, redirectUrl };
  return {
    merchantId,
    orderNo: order.orderNo,
    amount: readAmount(body.paymentAmount, currency),
    channel,
    paymentTimeMilliseconds: paymentTime,
    expiresAtMilliseconds: paymentExpiryTime,
    content: contentOf(wire),
    body: { ...wire, paymentTime, paymentExpiryTime },
  };
}

/** The order number and the merchant are the order's key. */
function contentOf({ order, ...fields }: CreateRequestBody): ContentDigests {
  const { orderNo: _orderNo, ...content } = order;
  return { ...digestsOf(fields), ...digestsOf(content, "order.") };
}

/** An empty text says nothing, so it is not sent. */
function filled(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

function wireOrder(order: CreateBody["order"], currency: string): CreateRequestBody["order"] {
  const { goods, shipping, orderNo, orderDescription, ...amounts } = order;
  return {
    orderNo,
    orderDescription: filled(orderDescription),
    ...wireAmounts(amounts, currency),
    shipping: shipping && wireShipping(shipping, currency),
    goods: goods.map((item) => wireGoods(item, currency)),
  };
}

function wireShipping(
  { amount, address, ...texts }: NonNullable<CreateBody["order"]["shipping"]>,
  currency: string,
): object {
  return { ...texts, address: filled(address), ...wireAmounts({ amount }, currency) };
}

function wireGoods(item: CreateBody["order"]["goods"][number], currency: string): object {
  const { goodsAmount, goodsUnitAmount, tax, goodsQuantity, goodsDesc, ...texts } = item;
  return {
    ...texts,
    goodsDesc: filled(goodsDesc),
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

function readJson(text: string): unknown {
  const json = parseJson(text);
  if (json !== undefined) return json;
  const detail = isReplaced(text) ? "The body is not UTF-8." : "The body is not JSON.";
  const errors = [{ pointer: "", detail }];
  throw new ProblemError("body-invalid", "Send the order as JSON in UTF-8.", { errors });
}

/** A request's body as text. Bytes that are not UTF-8 are replaced and found later. Throws a `ProblemError`. */
export function requestText(request: RequestBody): string {
  const bytes = readRequestBody(request, mostOrderBytes);
  if (bytes === "too-large") throw new ProblemError("body-too-large");
  if (bytes !== "not-base64") return bytes.toString("utf8");
  const errors = [{ pointer: "", detail: "The body is not what API Gateway said it is." }];
  throw new ProblemError("body-invalid", "Send the order as JSON in UTF-8.", { errors });
}
