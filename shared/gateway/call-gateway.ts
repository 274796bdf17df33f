import type * as z from "zod/mini";
import { type SealingKeys, sealRequest } from "../envelope/seal-envelope.ts";
import { GatewayError } from "./gateway-error.ts";
import type { PostJson } from "./post-json.ts";
import { readAnswer } from "./read-answer.ts";

/** One operation of the service (§4.1); a new one is a method, a path and a schema. */
interface GatewayCall<T extends z.ZodMiniType> {
  readonly merchantId: string;
  readonly method: string;
  readonly url: URL;
  readonly body: object;
  readonly answerSchema: T;
  /** Whether the service may get it twice. If not, it is tried again only when nothing was sent. */
  readonly isRepeatable: boolean;
  /** Whether numbers of the answer are used, so that each has to be exact. */
  readonly readsNumbers: boolean;
}

export interface GatewayDependencies {
  readonly keysFor: (merchantId: string) => Promise<SealingKeys>;
  readonly post: PostJson;
  readonly now: () => number;
  readonly random: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
}

export type CallGateway = <T extends z.ZodMiniType>(call: GatewayCall<T>) => Promise<z.output<T>>;

/** All attempts fit into API Gateway's half minute, with room to store what came of them. */
const mostMilliseconds = 18_000;
const attemptMilliseconds = { repeatable: 6_000, once: 15_000 };
const mostAttempts = 3;

/** Seals, posts and reads. Throws a `GatewayError`. */
export function createGateway(deps: GatewayDependencies): CallGateway {
  return async (call) => {
    const endsAt = deps.now() + mostMilliseconds;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await callOnce(call, endsAt, deps);
      } catch (error) {
        const waitMilliseconds = 200 * 2 ** attempt * (0.5 + deps.random() / 2);
        const hasTime = deps.now() + waitMilliseconds < endsAt;
        if (attempt >= mostAttempts || !hasTime || !mayRepeat(error, call.isRepeatable))
          throw error;
        await deps.pause(waitMilliseconds);
      }
    }
  };
}

/** Each attempt is sealed anew: its timestamp is its own. */
async function callOnce<T extends z.ZodMiniType>(
  call: GatewayCall<T>,
  endsAt: number,
  deps: GatewayDependencies,
): Promise<z.output<T>> {
  const { merchantId, method, body } = call;
  const keys = await deps.keysFor(merchantId);
  const nowMilliseconds = deps.now();
  const envelope = sealRequest({ merchantId, method, body, nowMilliseconds }, keys);
  const longest = call.isRepeatable ? attemptMilliseconds.repeatable : attemptMilliseconds.once;
  const timeoutMilliseconds = Math.max(1, Math.min(longest, endsAt - nowMilliseconds));
  const reply = await deps.post(call.url, JSON.stringify(envelope), timeoutMilliseconds);
  return readAnswer(reply, call.answerSchema, call.readsNumbers);
}

function mayRepeat(error: unknown, isRepeatable: boolean): boolean {
  if (!(error instanceof GatewayError) || error.failure === "refused") return false;
  return isRepeatable || error.failure === "unreachable";
}
