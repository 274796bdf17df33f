import type * as z from "zod/mini";
import { type SealingKeys, sealRequest } from "../envelope/seal-envelope.ts";
import { GatewayError } from "./gateway-error.ts";
import type { PostJson } from "./post-json.ts";
import { readAnswer } from "./read-answer.ts";

/** One operation of the service (§4.1). A new method needs only a URL, a body and a schema. */
interface GatewayCall<T extends z.ZodMiniType> {
  readonly merchantId: string;
  readonly method: string;
  readonly url: URL;
  readonly body: object;
  readonly answerSchema: T;
  /** Whether the service may get the request twice. If not, we try again only if nothing was sent. */
  readonly isRepeatable: boolean;
  /** Whether we use numbers from the answer. If so, each one must be exact. */
  readonly readsNumbers: boolean;
  /** The total time for the keys, all attempts and the pauses between them. */
  readonly budgetMilliseconds: number;
}

export interface GatewayDependencies {
  readonly keysFor: (merchantId: string) => Promise<SealingKeys>;
  readonly post: PostJson;
  readonly now: () => number;
  readonly random: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** How often a call is tried before it fails. */
  readonly mostAttempts?: number;
}

export type CallGateway = <T extends z.ZodMiniType>(call: GatewayCall<T>) => Promise<z.output<T>>;

/** For a caller that waits: another attempt gets over a brief fault. */
const usualAttempts = 3;
/** With less time left, an attempt would probably send the request and lose the answer. */
const leastAttemptMilliseconds = 500;

/** Seals the request, posts it and reads the answer. Throws a `GatewayError`, or the error from loading the keys. */
export function createGateway(deps: GatewayDependencies): CallGateway {
  const { mostAttempts = usualAttempts } = deps;
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

/** Each attempt is sealed again, with a new timestamp. */
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

/** The first attempt of a repeatable call gets half of the budget, so that there is time for a second attempt. */
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

/** If the service refused or is busy, the call is not repeated. */
function mayRepeat(error: unknown, isRepeatable: boolean): boolean {
  if (!(error instanceof GatewayError)) return false;
  return error.failure === "unreachable" || (isRepeatable && error.mayHaveActed);
}
