import * as z from "zod";
import { counted } from "../../../shared/text/number-text.ts";
import { describeChange } from "../described/describe.ts";
import type { OperationGroup, Planned, Report } from "../described/description.ts";
import { wholeNumber } from "../described/fields.ts";
import { explainAwsError } from "../explain-error.ts";
import { available } from "../ports/available.ts";
import type { Target } from "../ports/target.ts";
import { failure, type SmokeFailure } from "./post-callback.ts";
import {
  type RunSmoke,
  type SmokeFlow,
  type SmokePlan,
  type SmokeSuccess,
  sendAndWait,
} from "./send-and-wait.ts";
import { makeSmokeCallback, makeSmokeKeys } from "./smoke-callback.ts";
import { cleanUp, type SmokeTrace } from "./smoke-trace.ts";

/** The times of a real run. */
export const smokeTiming = {
  /** Longer than any run, so that no run takes the event of another that still waits for it. */
  leftoverMilliseconds: 15 * 60_000,
  repeatMilliseconds: 2_000,
  quietMilliseconds: 3_000,
  now: Date.now,
};

const test = describeChange({
  title: "Smoke test",
  summary:
    'Tests a running stack end to end. A merchant that exists only for this sends one callback of a paid order twice, and waits for the one event in a separate queue. No other subscriber gets the event. The test data is deleted, even after a failure or Ctrl-C. The stack needs "smoke": true in its config. Without --yes nothing is tested, and the exit code is 1.',
  input: z.object({
    timeout: wholeNumber("how many seconds to wait for the event, 1 to 600", 120, 1, 600),
  }),
  plan: async (target, { timeout }): Promise<Planned> => ({
    report: preview(planSmoke(target)),
    yes: "Test",
    act: async (actual, { stopped: signal, tell: onStage }) => {
      const work = { timeoutMilliseconds: 1000 * timeout, signal, onStage };
      const run = { ...smokeTiming, ...work, fetch, makeKeys: makeSmokeKeys };
      return outcome(await runSmoke(actual, run));
    },
  }),
});

export const smoke: OperationGroup = {
  name: "smoke",
  about: [],
  operations: [test],
  examples: ["smoke --yes", "smoke --stack Paycast --timeout 180 --yes --json"],
};

/** Throws `target-incomplete` if the stack has no merchant for smoke tests. */
export function planSmoke({ stack }: Pick<Target, "stack">): SmokePlan {
  return { ...available(stack.smoke), callbackUrl: stack.callbackUrl };
}

function preview(plan: SmokePlan): Report {
  const { merchantId, callbackUrl, callbackKeys, queueUrl } = plan;
  return {
    lines: [
      "A smoke test would",
      `  store new keys of merchant ${merchantId} in ${callbackKeys},`,
      `  post one callback of that merchant twice to ${callbackUrl},`,
      `  take its event from ${queueUrl}, and delete the event, its record and its order.`,
    ],
    data: plan,
    // A script that forgot --yes must not take it for a test that has passed.
    isGood: false,
  };
}

function outcome(result: SmokeResult): Report {
  const { orderNo, leftovers, notCleaned } = result;
  const how = result.passed
    ? ([
        ["result", { text: "passed", tone: "good" }],
        ["stored after", `${result.answeredMilliseconds} ms, with request ${result.attempts}`],
        ["event after", `${result.eventMilliseconds} ms more`],
      ] as const)
    : ([
        ["result", { text: `failed: ${result.stage}`, tone: "bad" }],
        ["what", result.message],
        ["to do", result.action],
      ] as const);
  const leftoverText = leftovers && `${counted(leftovers, "event")} of earlier runs, now deleted`;
  return {
    lines: [],
    facts: [
      ...how,
      ["order", orderNo],
      ["cleaned up", leftoverText || undefined],
      ["not deleted", notCleaned],
    ],
    data: result,
    isGood: result.passed,
  };
}

const stopped = failure(
  "stopped",
  "The smoke test was stopped before its end.",
  "Run it again. It also deletes an event of this run that was still on its way.",
);

export type SmokeResult = (SmokeSuccess | SmokeFailure) & {
  readonly orderNo: string;
  /** Events of earlier runs that ended before they could clean up. They are deleted. */
  readonly leftovers: number;
  /** Why something of this run could not be deleted. */
  readonly notCleaned?: string;
};

/** Sends a callback of its own merchant through the whole stack, takes the event, and deletes the test data. */
export async function runSmoke(
  target: Pick<Target, "stack" | "orders" | "records" | "queues" | "keys" | "audit">,
  run: RunSmoke,
): Promise<SmokeResult> {
  const plan = planSmoke(target);
  const callback = makeSmokeCallback(plan.merchantId, run.now());
  const { orderNo, merchantId } = callback;
  let leftovers = 0;
  const onLeftover = () => {
    leftovers += 1;
  };
  await target.audit.write("smoke", { orderNo, merchantId, secret: plan.callbackKeys });
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

/** This does not throw: an error here would hide why the test failed. */
async function tryCleanUp(
  target: Pick<Target, "orders" | "records">,
  trace: SmokeTrace,
): Promise<string | undefined> {
  try {
    await cleanUp(target, trace);
    return undefined;
  } catch (error) {
    return explainAwsError(error)?.message ?? String(error);
  }
}
