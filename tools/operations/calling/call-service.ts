import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod/mini";
import type { SealingKeys } from "../../../shared/envelope/seal-envelope.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { createGateway, readData } from "../../../shared/gateway/call-gateway.ts";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import { createPoster, type HttpReply, type PostJson } from "../../../shared/gateway/post-json.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { readRequestKeys } from "../../../shared/keys/keys-in-secret.ts";
import { inexactNumbers } from "../../../shared/money/exact-numbers.ts";
import type { Target } from "../ports/target.ts";

export interface CallPlan {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly merchantId: string;
  readonly requestKeys: string;
  readonly body: object;
  /** Identifies the body in the audit line, which must not hold it. */
  readonly bodySha256: string;
}

/**
 * How a call ended. `refused`: the service did not do it. `not-sent`: nothing was sent. `unknown`: the service may have
 * done it, so it must not simply be repeated.
 */
export interface CallResult {
  readonly outcome: "done" | "refused" | "not-sent" | "unknown";
  readonly message: string;
  /** As the service returned it (§2.2). */
  readonly code?: string;
  readonly msg?: string;
  readonly data?: unknown;
  /** The raw response, if JSON would round a number in it, or if it is nested too deep to be serialized. */
  readonly answerText?: string;
}

/** An operator waits longer than a customer. */
const budgetMilliseconds = 30_000;
/** The one operation that may be sent twice: it only reads (§4.3). */
const repeatableMethod = "service.trade.query";

/** Seals the request with the merchant's keys, sends it once, and returns the outcome. */
export async function callService(
  target: Pick<Target, "clock" | "keys" | "audit">,
  plan: CallPlan,
  post: PostJson = createPoster(),
): Promise<CallResult> {
  const keys = await readKeys(target, plan.requestKeys);
  const { method, path, merchantId, bodySha256 } = plan;
  await target.audit.write("call", { method, path, merchantId, bodySha256 });
  let reply: HttpReply | undefined;
  const call = gatewayWith(keys, target.clock.now, async (...request) => {
    reply = undefined;
    reply = await post(...request);
    return reply;
  });
  try {
    await call({
      merchantId,
      method,
      body: plan.body,
      url: new URL(plan.url),
      read: readData,
      isRepeatable: method === repeatableMethod,
      budgetMilliseconds,
    });
    return {
      outcome: "done",
      message: "The payment service carried out the request.",
      ...answerIn(reply),
    };
  } catch (failure) {
    if (failure instanceof GatewayError) return failedWith(failure, reply);
    throw failure;
  }
}

function failedWith(failure: GatewayError, reply: HttpReply | undefined): CallResult {
  const { message, mayHaveActed } = failure;
  if (failure.failure === "unreachable") return { outcome: "not-sent", message };
  return { outcome: mayHaveActed ? "unknown" : "refused", message, ...answerIn(reply) };
}

/** The payment service, called with one merchant's keys. */
export function gatewayWith(keys: SealingKeys, now: () => number, post: PostJson = createPoster()) {
  return createGateway({
    keys: { keysFor: async () => keys, doubt: () => {} },
    callerCodes: [],
    post,
    now,
    random: Math.random,
    pause: async (milliseconds) => void (await pause(milliseconds)),
  });
}

/** Read before the audit line is written: without keys nothing is called. */
async function readKeys({ keys }: Pick<Target, "keys">, secretId: string): Promise<SealingKeys> {
  const { current } = await keys.stagesOf(secretId);
  const secret = current === undefined ? undefined : await keys.read(secretId, current);
  if (secret !== undefined) return readRequestKeys(secret);
  throw new PaycastError("keys-unset", "The merchant's secret of request keys has no value yet.");
}

const envelopeSchema = z.object({
  code: z.union([z.number(), z.string()]),
  msg: z.optional(z.unknown()),
  data: z.optional(z.unknown()),
});

/** What can be read of a response, even if it does not follow the interface. */
function answerIn(reply: HttpReply | undefined): Omit<CallResult, "outcome" | "message"> {
  if (reply === undefined) return {};
  const read = envelopeSchema.safeParse(parseJson(reply.text));
  if (!read.success) return { code: `http-${reply.status}`, answerText: reply.text };
  const { code, msg, data } = read.data;
  const [inexact] = inexactNumbers(reply.text);
  const isTooDeep = isDeep(data);
  return {
    code: String(code),
    ...(typeof msg === "string" && { msg }),
    ...(data !== undefined && !isTooDeep && { data }),
    ...((inexact !== undefined || isTooDeep) && { answerText: reply.text }),
  };
}

/** JSON.parse reads any depth, but JSON.stringify cannot write it. */
export function isDeep(value: unknown, deepest = 100): boolean {
  if (typeof value !== "object" || value === null) return false;
  return deepest === 0 || Object.values(value).some((inside) => isDeep(inside, deepest - 1));
}
