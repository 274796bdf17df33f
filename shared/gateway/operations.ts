import * as z from "zod/mini";
import type { CallGateway } from "./call-gateway.ts";
import { type GatewaySettings, gatewayUrl } from "./gateway-settings.ts";

/** Refined: the schema library's own checks of length throw on an object that has a `length`. */
function text(most: number) {
  return z.string().check(z.refine((value) => value !== "" && value.length <= most));
}

const createAnswerSchema = z.object({
  paymentId: text(64),
  referOrderNo: z.optional(z.nullable(z.string())),
  channel: z.optional(z.nullable(z.string())),
  checkoutUrl: text(2048),
  status: z.optional(z.nullable(z.string())),
});

export type CreateAnswer = z.output<typeof createAnswerSchema>;

/** Creates a payment order (§4.2). Whether the service takes a repeat as the same order is not known. */
export async function createPayment(
  call: CallGateway,
  settings: GatewaySettings,
  merchantId: string,
  body: object,
): Promise<CreateAnswer> {
  return await call({
    merchantId,
    method: "service.trade.create",
    url: gatewayUrl(settings, "create"),
    body,
    answerSchema: createAnswerSchema,
    isRepeatable: false,
    readsNumbers: false,
  });
}

/** Asks for a payment (§4.3). The answer is kept as it came: it is read like a callback's result object. */
export async function queryPayment(
  call: CallGateway,
  settings: GatewaySettings,
  merchantId: string,
  paymentId: string,
): Promise<Record<string, unknown>> {
  return await call({
    merchantId,
    method: "service.trade.query",
    url: gatewayUrl(settings, "query"),
    body: { paymentId },
    answerSchema: z.record(z.string(), z.unknown()),
    isRepeatable: true,
    readsNumbers: true,
  });
}
