import { explainAwsError } from "../target/explain-aws-error.ts";
import type { Target } from "../target/target.ts";
import { cleanUp, type SmokeTrace } from "./clean-up.ts";
import { planSmoke } from "./plan-smoke.ts";
import { type RunSmoke, type SmokeFlow, type SmokeSuccess, sendAndWait } from "./send-and-wait.ts";
import { makeSmokeCallback } from "./smoke-callback.ts";
import { type SmokeFailure, stopped } from "./smoke-failure.ts";

export type SmokeResult = (SmokeSuccess | SmokeFailure) & {
  readonly orderNo: string;
  /** Events of earlier runs that ended before they could clean up. They are deleted. */
  readonly leftovers: number;
  /** Why something of this run could not be deleted. */
  readonly notCleaned?: string;
};

/** Sends a callback of its own merchant through the whole stack, takes the event, and deletes what is left of it. */
export async function runSmoke(target: Target, run: RunSmoke): Promise<SmokeResult> {
  const plan = planSmoke(target);
  const callback = makeSmokeCallback(plan.merchantId, run.now());
  const { orderNo, merchantId } = callback;
  let leftovers = 0;
  const onLeftover = () => {
    leftovers += 1;
  };
  await target.audit("smoke", { orderNo, merchantId, secret: plan.callbackKeys });
  const result = await sendOrStop({ target, plan, callback, onLeftover, run }).catch(
    async (error: unknown) => {
      await tryCleanUp(target, callback);
      throw error;
    },
  );
  const notCleaned = result.passed ? undefined : await tryCleanUp(target, callback);
  return { ...result, orderNo, leftovers, ...(notCleaned !== undefined && { notCleaned }) };
}

async function sendOrStop(flow: SmokeFlow): Promise<SmokeSuccess | SmokeFailure> {
  try {
    return await sendAndWait(flow);
  } catch (error) {
    if (flow.run.signal.aborted) return stopped;
    throw error;
  }
}

/** A failed test is worth more than a complaint about what is left, so this does not throw. */
async function tryCleanUp(target: Target, trace: SmokeTrace): Promise<string | undefined> {
  try {
    await cleanUp(target, trace);
    return undefined;
  } catch (error) {
    return explainAwsError(error)?.message ?? String(error);
  }
}
