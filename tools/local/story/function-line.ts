import * as z from "zod";
import { parseJson } from "../../../shared/parse-json.ts";
import { harmless } from "../../../shared/terminal-text.ts";

/** Order numbers and the like come from outside, so every text is made harmless where it is read. */
const text = z.string().transform(harmless);
const maybe = text.optional();
const names = z.array(text).default([]);
const count = z.number().default(0);

/** What the story needs of a function's log line (shared/telemetry/log-line.ts). The rest is left out. */
const lineSchema = z.object({
  service: text,
  outcome: text,
  timestamp: z.number(),
  ending: maybe,
  reason: maybe,
  detail: maybe,
  merchantId: maybe,
  orderNo: maybe,
  paymentId: maybe,
  refundId: maybe,
  callbackId: maybe,
  eventName: maybe,
  eventId: maybe,
  flags: names,
  keyStage: maybe,
  deliveredTo: names,
  subscribers: names,
  httpStatus: z.number().optional(),
  serviceCode: maybe,
  errorName: maybe,
  errorCode: maybe,
  Mismatch: count,
  News: count,
  QueryFailed: count,
  ServiceRefused: count,
  UnreadableAnswer: count,
  UnreadableOrder: count,
  MerchantNotConfigured: count,
  Unresolved: count,
});

export type FunctionLine = z.output<typeof lineSchema>;

/** Undefined if a function printed something else. */
export function readFunctionLine(line: string): FunctionLine | undefined {
  const parsed = lineSchema.safeParse(parseJson(line));
  return parsed.success ? parsed.data : undefined;
}

/** The order if the line names it, otherwise the payment or the callback. */
export function subjectOf({ orderNo, paymentId, callbackId }: FunctionLine): string | undefined {
  if (orderNo !== undefined) return orderNo;
  if (paymentId !== undefined) return `payment ${paymentId}`;
  return callbackId === undefined ? undefined : `callback ${callbackId}`;
}

/** The code is closer to the cause than the name of an error class. */
export function causeOf({ reason, errorCode, errorName }: FunctionLine): string | undefined {
  return reason?.replace("urn:paycast:problem:", "") ?? errorCode ?? errorName;
}

/** "ORDER-7 given back: aggregate-contended" */
export function because(told: string, ...why: readonly (string | undefined)[]): string {
  const cause = words(...why);
  return cause === "" ? told : `${told}: ${cause}`;
}

/** The words that are known, with spaces between them. */
export function words(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(" ");
}
