import * as z from "zod/mini";
import { withExactFields } from "../facts/exact-fields.ts";
import { createCallMilliseconds, queryCallMilliseconds } from "../timing.ts";
import { type CallGateway, dataText, readData, type Success } from "./call-gateway.ts";
import { type CreateAnswer, readCreateAnswer } from "./create-answer.ts";
import { GatewayError } from "./gateway-error.ts";
import { type GatewaySettings, gatewayUrl } from "./gateway-settings.ts";

/** The create body (§2.3). Reading the response needs only its order number. */
export interface CreateRequestBody {
  readonly order: { readonly orderNo: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** Creates a payment order (§4.2). Not repeatable: the service may not recognise a repeat. */
export async function createPayment(
  call: CallGateway,
  settings: GatewaySettings,
  merchantId: string,
  body: CreateRequestBody,
): Promise<CreateAnswer> {
  return await call({
    merchantId,
    method: "service.trade.create",
    url: gatewayUrl(settings, settings.paths.create),
    body,
    read: (success) => readCreateAnswer(success, body.order.orderNo),
    isRepeatable: false,
    budgetMilliseconds: createCallMilliseconds,
  });
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
    read: readQueryAnswer,
    isRepeatable: true,
    budgetMilliseconds: queryCallMilliseconds,
  });
}

/** Each number that is used must be exact, so that an amount that JSON.parse rounded is never used. */
export function readQueryAnswer(success: Success): Record<string, unknown> {
  try {
    return answerSchema.parse(withExactFields(readData(success), dataText(success)));
  } catch (cause) {
    throw cause instanceof GatewayError ? cause : new GatewayError("unreadable", { cause });
  }
}

const answerSchema = z.record(z.string(), z.unknown());
