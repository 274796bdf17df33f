import * as z from "zod/mini";
import { sealRequest } from "../envelope/seal-envelope.ts";
import { memberSources } from "../envelope/source-text.ts";
import { outOfTime } from "../errors/out-of-time.ts";
import { parseJson } from "../json/parse-json.ts";
import type { RequestKeys } from "../keys/request-keys.ts";
import { GatewayError, type ServiceRefusal } from "./gateway-error.ts";
import type { HttpReply, PostJson } from "./post-json.ts";

/** One operation of the service (§4.1). A new method needs only a URL, a body and a schema. */
interface GatewayCall<T> {
  readonly merchantId: string;
  readonly method: string;
  readonly url: URL;
  readonly body: object;
  /** Reads a response with the success code. Throws a `GatewayError`. */
  readonly read: (success: Success) => T;
  /** Whether the service may receive the request twice. If not, it is retried only if nothing was sent. */
  readonly isRepeatable: boolean;
  /** The total time for the keys, all attempts and the pauses between them. */
  readonly budgetMilliseconds: number;
}

export interface GatewayDependencies {
  readonly keys: RequestKeys;
  /** After a refusal with one of these codes of the service, the keys are not doubted. */
  readonly callerCodes: readonly string[];
  readonly post: PostJson;
  readonly now: () => number;
  readonly random: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** The number of attempts before the call fails. */
  readonly mostAttempts?: number;
}

export type CallGateway = <T>(call: GatewayCall<T>) => Promise<T>;

/** For a caller that waits: another attempt gets over a short fault. */
const usualAttempts = 3;
/** With less time, an attempt would probably send the request and lose the response. */
const leastAttemptMilliseconds = 500;

/** Seals the request, posts it and reads the response. Throws a `GatewayError`, or the error from loading the keys. */
export function createGateway(deps: GatewayDependencies): CallGateway {
  const { mostAttempts = usualAttempts } = deps;
  return async (call) => {
    const endsAt = deps.now() + call.budgetMilliseconds;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await callOnce(call, endsAt, deps);
      } catch (error) {
        if (mayBeForKeys(error, deps)) deps.keys.doubt(call.merchantId);
        const waitMilliseconds = 200 * 2 ** attempt * (0.5 + deps.random() / 2);
        const hasTime = deps.now() + waitMilliseconds + leastAttemptMilliseconds <= endsAt;
        if (attempt >= mostAttempts || !hasTime || !mayRepeat(error, call.isRepeatable))
          throw error;
        await deps.pause(waitMilliseconds);
      }
    }
  };
}

/** Each attempt is sealed again, with a new timestamp. */
async function callOnce<T>(
  call: GatewayCall<T>,
  endsAt: number,
  deps: GatewayDependencies,
): Promise<T> {
  const { merchantId, method, body } = call;
  const keys = await deps.keys.keysFor(merchantId);
  const nowMilliseconds = deps.now();
  const timeoutMilliseconds = attemptMilliseconds(call, endsAt - nowMilliseconds);
  const request = sealRequest({ merchantId, method, body, nowMilliseconds }, keys);
  const reply = await deps.post(call.url, request, timeoutMilliseconds);
  return call.read(readSuccess(reply));
}

/**
 * The first attempt of a repeatable call gets half of the budget, so that there is time for a second one. Throws
 * `out-of-time` if the keys have used it up.
 */
function attemptMilliseconds(
  {
    isRepeatable,
    budgetMilliseconds,
  }: Pick<GatewayCall<never>, "isRepeatable" | "budgetMilliseconds">,
  remainingMilliseconds: number,
): number {
  if (remainingMilliseconds < leastAttemptMilliseconds) throw outOfTime();
  return Math.min(
    remainingMilliseconds,
    isRepeatable ? budgetMilliseconds / 2 : budgetMilliseconds,
  );
}

/** The interface does not say which codes mean that a signature is wrong or a body cannot be decrypted. */
function mayBeForKeys(
  error: unknown,
  { callerCodes }: Pick<GatewayDependencies, "callerCodes">,
): boolean {
  if (!(error instanceof GatewayError) || error.failure !== "refused") return false;
  return !callerCodes.includes(error.refusal?.code ?? "");
}

/** A call that the service refused, or was too busy for, is not repeated. */
function mayRepeat(error: unknown, isRepeatable: boolean): boolean {
  if (!(error instanceof GatewayError)) return false;
  return error.failure === "unreachable" || (isRepeatable && error.mayHaveActed);
}

/** The response envelope (§2.2). `code` is a number or a string. */
const envelopeSchema = z.object({
  code: z.union([z.number(), z.string()]),
  msg: z.optional(z.unknown()),
  data: z.optional(z.unknown()),
});

const successCode = "20000";
/** The service's code and message appear in logs and responses, so they are kept short. */
const longestCode = 64;
const longestMessage = 1_000;
const usualRetryAfterSeconds = 5;
const longestRetryAfterSeconds = 60;

/** A response with the success code. Only `read` knows what it must contain. */
export interface Success {
  readonly httpStatus: number;
  readonly data: unknown;
  /** The whole text of the response. */
  readonly json: string;
}

/** Throws a `GatewayError` unless the response has the success code. */
export function readSuccess(reply: HttpReply): Success {
  const envelope = envelopeSchema.safeParse(parseJson(reply.text));
  if (!envelope.success) throw failureOf(reply, refusalByStatus(reply.status));
  const { code, msg, data } = envelope.data;
  if (String(code) !== successCode) throw failureOf(reply, refusalOf(String(code), msg));
  return { httpStatus: reply.status, data, json: reply.text };
}

/** The data of a response. A success code with a status other than 200 (§4) is a contradiction. */
export function readData({ httpStatus, data }: Success): unknown {
  if (httpStatus !== 200) throw new GatewayError("unreadable");
  return data;
}

/** The text of a response's data. Its numbers are as written, where JSON.parse may have rounded them. */
export function dataText({ json }: Success): string {
  return memberSources(json).get("data") ?? "";
}

/**
 * With 5xx or 408 a server, or a proxy in front of it, stopped work that it may have started. The outcome is unknown,
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

/** Cutting may split a surrogate pair; the remaining half is replaced. */
function shorten(text: string, longest: number): string {
  return text.slice(0, longest).toWellFormed();
}

/** The `Retry-After` header in seconds. If it is missing, a date or out of range: the default pause. */
function secondsOf(retryAfter: string | undefined): number {
  const seconds = /^\d{1,2}$/.test(retryAfter ?? "") ? Number(retryAfter) : 0;
  const isSane = seconds >= 1 && seconds <= longestRetryAfterSeconds;
  return isSane ? seconds : usualRetryAfterSeconds;
}
