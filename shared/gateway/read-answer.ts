import * as z from "zod/mini";
import { memberSources } from "../envelope/source-text.ts";
import { withExactFields } from "../facts/exact-fields.ts";
import { parseJson } from "../parse-json.ts";
import { GatewayError, type ServiceRefusal } from "./gateway-error.ts";
import type { HttpReply } from "./post-json.ts";

/** The response envelope (§2.2); `code` comes as a number or as a string. */
const envelopeSchema = z.object({
  code: z.union([z.number(), z.string()]),
  msg: z.optional(z.unknown()),
  data: z.optional(z.unknown()),
});

const successCode = "20000";
/** The service's code and message go into logs and answers, so they are kept short. */
const longestCode = 64;
const longestMessage = 1_000;
const usualRetryAfterSeconds = 5;
const longestRetryAfterSeconds = 60;

/**
 * The data of a successful answer. With `readsNumbers` each number must be exact, so that we never use an amount that
 * JSON.parse rounded. Throws a `GatewayError`.
 */
export function readAnswer<T extends z.ZodMiniType>(
  reply: HttpReply,
  dataSchema: T,
  readsNumbers: boolean,
): z.output<T> {
  const envelope = envelopeSchema.safeParse(parseJson(reply.text));
  if (!envelope.success) throw failureOf(reply, refusalByStatus(reply.status));
  const { code, msg, data } = envelope.data;
  if (String(code) !== successCode) throw failureOf(reply, refusalOf(String(code), msg));
  // A success code with a status other than 200 (§4) is a contradiction.
  if (reply.status !== 200) throw new GatewayError("unreadable");
  const read = dataSchema.safeParse(readsNumbers ? exactData(data, reply.text) : data);
  if (!read.success) throw new GatewayError("unreadable", { cause: read.error });
  return read.data;
}

function exactData(data: unknown, json: string): unknown {
  try {
    return withExactFields(data, memberSources(json).get("data") ?? "");
  } catch (error) {
    throw new GatewayError("unreadable", { cause: error });
  }
}

/**
 * With 5xx or 408 a server, or a proxy in front of it, stopped work that it may have begun. The outcome is unknown,
 * even if the body names a refusal.
 */
function failureOf({ status, retryAfter }: HttpReply, refusal?: ServiceRefusal): GatewayError {
  if (status === 429) {
    return new GatewayError("busy", { refusal, retryAfterSeconds: secondsOf(retryAfter) });
  }
  const isKnown = refusal !== undefined && status < 500 && status !== 408;
  return new GatewayError(isKnown ? "refused" : "unreadable", { refusal });
}

function refusalOf(code: string, msg: unknown): ServiceRefusal {
  const message = typeof msg === "string" ? msg : "";
  return { code: shorten(code, longestCode), msg: shorten(message, longestMessage) };
}

function refusalByStatus(status: number): ServiceRefusal | undefined {
  return status < 400 ? undefined : { code: `http-${status}`, msg: "" };
}

/** The cut may split a surrogate pair; the remaining half is replaced. */
function shorten(text: string, longest: number): string {
  return text.slice(0, longest).toWellFormed();
}

/** The header as a number of seconds. If it is missing, a date or out of range, the result is the default pause. */
function secondsOf(retryAfter: string | undefined): number {
  const seconds = /^\d{1,2}$/.test(retryAfter ?? "") ? Number(retryAfter) : 0;
  const isSane = seconds >= 1 && seconds <= longestRetryAfterSeconds;
  return isSane ? seconds : usualRetryAfterSeconds;
}
