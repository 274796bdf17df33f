import type * as z from "zod/mini";
import { type SealingKeys, sealRequest } from "../envelope/seal-envelope.ts";
import { GatewayError } from "./gateway-error.ts";
import type { PostJson } from "./post-json.ts";
import { readAnswer } from "./read-answer.ts";

/** One operation of the service (§4.1). Any method can be called: it takes a URL, a body and a schema. */
interface GatewayCall<T extends z.ZodMiniType> {
  readonly merchantId: string;
  readonly method: string;
  readonly url: URL;
  readonly body: object;
  readonly answerSchema: T;
  /** Whether the service may get it twice. If not, it is tried again only if nothing was sent. */
  readonly isRepeatable: boolean;
  /** Whether numbers of the answer are used, so that each has to be exact. */
  readonly readsNumbers: boolean;
  /** For everything together: the keys, all attempts and the pauses between them. */
  readonly budgetMilliseconds: number;
}

export interface GatewayDependencies {
  readonly keysFor: (merchantId: string) => Promise<SealingKeys>;
  readonly post: PostJson;
  readonly now: () => number;
  readonly random: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
}

export type CallGateway = <T extends z.ZodMiniType>(call: GatewayCall<T>) => Promise<z.output<T>>;

const mostAttempts = 3;
/** With less time left, an attempt would probably send the request and lose the answer. */
const leastAttemptMilliseconds = 500;

/** Seals, posts and reads. Throws a `GatewayError`, or the error of the keys. */
export function createGateway(deps: GatewayDependencies): CallGateway {
  return async (call) => {
    const endsAt = deps.now() + call.budgetMilliseconds;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await callOnce(call, endsAt, deps);
      } catch (error) {
        const waitMilliseconds = 200 * 2 ** attempt * (0.5 + deps.random() / 2);
        const hasTime = deps.now() + waitMilliseconds + leastAttemptMilliseconds <= endsAt;
        if (attempt >= mostAttempts || !hasTime || !mayRepeat(error, call.isRepeatable))
          throw error;
        await deps.pause(waitMilliseconds);
      }
    }
  };
}

/** Each attempt is sealed anew, with a timestamp of its own. */
async function callOnce<T extends z.ZodMiniType>(
  call: GatewayCall<T>,
  endsAt: number,
  deps: GatewayDependencies,
): Promise<z.output<T>> {
  const { merchantId, method, body } = call;
  const keys = await deps.keysFor(merchantId);
  const nowMilliseconds = deps.now();
  const timeoutMilliseconds = attemptMilliseconds(call, endsAt - nowMilliseconds);
  const envelope = sealRequest({ merchantId, method, body, nowMilliseconds }, keys);
  const reply = await deps.post(call.url, JSON.stringify(envelope), timeoutMilliseconds);
  return readAnswer(reply, call.answerSchema, call.readsNumbers);
}

/** What may be repeated gets half of the budget at once, so that there is time for a second attempt. */
function attemptMilliseconds(
  {
    isRepeatable,
    budgetMilliseconds,
  }: Pick<GatewayCall<never>, "isRepeatable" | "budgetMilliseconds">,
  leftMilliseconds: number,
): number {
  if (leftMilliseconds < leastAttemptMilliseconds) throw new GatewayError("unreachable");
  return Math.min(leftMilliseconds, isRepeatable ? budgetMilliseconds / 2 : budgetMilliseconds);
}

/** A service that refuses, or has too much to do, is not asked again. */
function mayRepeat(error: unknown, isRepeatable: boolean): boolean {
  if (!(error instanceof GatewayError)) return false;
  return error.failure === "unreachable" || (isRepeatable && error.mayHaveActed);
}
