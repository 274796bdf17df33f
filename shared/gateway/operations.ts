import * as z from "zod/mini";
import { isWithin } from "../text/characters.ts";
import { createCallMilliseconds, queryCallMilliseconds } from "../timing.ts";
import type { CallGateway } from "./call-gateway.ts";
import { GatewayError } from "./gateway-error.ts";
import { type GatewaySettings, gatewayUrl } from "./gateway-settings.ts";

/** A refinement, because zod's own length checks throw on an object that has a `length`. */
function text(most: number) {
  return z.string().check(z.refine((value) => value !== "" && isWithin(value, most)));
}

const optionalText = z.optional(z.nullable(z.string()));

/** The fields of §2.7 that are used. Only those that a payment needs are required. */
const createAnswerSchema = z.object({
  paymentId: text(64),
  checkoutUrl: text(2048),
  referOrderNo: optionalText,
  outOrderNo: optionalText,
  status: z.optional(z.unknown()),
});

/** The create body (§2.3). Reading the response needs only its order number. */
export interface CreateRequestBody {
  readonly order: { readonly orderNo: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export interface CreateAnswer {
  readonly paymentId: string;
  readonly checkoutUrl: string;
  /** As the service sent it, shortened. It should be `pending` (§2.7). */
  readonly status: string | undefined;
  /** True if the service returned only the beginning of the order number: its callbacks will name another order. */
  readonly isNumberShortened: boolean;
}

const longestStatus = 64;

/** Creates a payment order (§4.2). Not repeatable: the service may not recognise a repeat. */
export async function createPayment(
  call: CallGateway,
  settings: GatewaySettings,
  merchantId: string,
  body: CreateRequestBody,
): Promise<CreateAnswer> {
  const answer = await call({
    merchantId,
    method: "service.trade.create",
    url: gatewayUrl(settings, settings.paths.create),
    body,
    answerSchema: createAnswerSchema,
    isRepeatable: false,
    readsNumbers: false,
    budgetMilliseconds: createCallMilliseconds,
  });
  const { paymentId, checkoutUrl, referOrderNo, outOrderNo, status } = answer;
  // The payment of another order must never be used for this one (§2.7).
  const { orderNo } = body.order;
  const named = referOrderNo || outOrderNo || orderNo;
  const isNumberShortened = isBeginningOf(named, orderNo);
  if (named !== orderNo && !isNumberShortened) throw new GatewayError("unreadable");
  return { paymentId, checkoutUrl, status: shortText(status), isNumberShortened };
}

/** The response has 32 characters, the request 64 (§8), so a long number may be returned shortened. */
function isBeginningOf(named: string, sent: string): boolean {
  return named.length >= 32 && named !== sent && sent.startsWith(named);
}

function shortText(value: unknown): string | undefined {
  return typeof value === "string" ? value.slice(0, longestStatus) : undefined;
}

/** Queries a payment (§4.3). The result stays unchanged and is read like the result object of a callback. */
export async function queryPayment(
  call: CallGateway,
  settings: GatewaySettings,
  merchantId: string,
  paymentId: string,
): Promise<Record<string, unknown>> {
  return await call({
    merchantId,
    method: "service.trade.query",
    url: gatewayUrl(settings, settings.paths.query),
    body: { paymentId },
    answerSchema: z.record(z.string(), z.unknown()),
    isRepeatable: true,
    readsNumbers: true,
    budgetMilliseconds: queryCallMilliseconds,
  });
}
