import type { PaycastEvent } from "../../../shared/events/event.ts";
import type { SmokeMerchant } from "../ports/stack.ts";
import type { Target } from "../ports/target.ts";
import { failure, postUntilStored, type SmokeFailure } from "./post-callback.ts";
import {
  putSmokeKeys,
  type SmokeCallback,
  type SmokeKeys,
  sealSmokeCallback,
  smokeAmount,
} from "./smoke-callback.ts";
import { cleanUp, explainSilence, takeEvents } from "./smoke-trace.ts";

/** What a smoke test uses and changes. */
export interface SmokePlan extends SmokeMerchant {
  readonly callbackUrl: string;
}

export interface RunSmoke {
  readonly timeoutMilliseconds: number;
  /** Ends the run early; it still cleans up. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly fetch: typeof fetch;
  readonly makeKeys: () => SmokeKeys;
  /** An event in the queue that is older is of a run that ended before it could clean up. */
  readonly leftoverMilliseconds: number;
  /** How long after a rejection the callback is posted again. */
  readonly repeatMilliseconds: number;
  /** How long to wait for a second event. It would follow the first within moments. */
  readonly quietMilliseconds: number;
  readonly onStage: (stage: string) => void;
}

export interface SmokeFlow {
  readonly target: Pick<Target, "orders" | "records" | "queues" | "keys">;
  readonly plan: SmokePlan;
  readonly callback: SmokeCallback;
  /** Called for each event of an earlier run that could not clean up. */
  readonly onLeftover: () => void;
  readonly run: RunSmoke;
}

export interface SmokeSuccess {
  readonly passed: true;
  /** Until the callback was stored, with the time in which its keys became known. */
  readonly answeredMilliseconds: number;
  readonly attempts: number;
  /** From then on until the event was here. */
  readonly eventMilliseconds: number;
}

/** New keys reach every warm instance within a minute. */
const longestPostMilliseconds = 75_000;

/** Posts one callback twice and takes its one event. */
export async function sendAndWait(flow: SmokeFlow): Promise<SmokeSuccess | SmokeFailure> {
  const { target, plan, callback, run } = flow;
  const endsAt = run.now() + run.timeoutMilliseconds;
  run.onStage("Storing new keys for the smoke test");
  const keys = run.makeKeys();
  await putSmokeKeys(target, plan.callbackKeys, keys);
  run.onStage("Posting a callback; new keys may take a minute to be known");
  const body = sealSmokeCallback(callback, keys.sealing);
  const postedAt = run.now();
  const post = { ...run, endsAt: Math.min(endsAt, postedAt + longestPostMilliseconds) };
  const attempts = await postUntilStored(plan.callbackUrl, body, { ...post, when: "" });
  if (typeof attempts !== "number") return attempts;
  const storedAt = run.now();
  // The service repeats callbacks (§6): the second one is stored or recognised, with the same response.
  const when = " when it was sent again";
  const again = await postUntilStored(plan.callbackUrl, body, { ...post, when });
  if (typeof again !== "number") return again;
  run.onStage("Waiting for the event");
  const [event, ...more] = await nextEvents(flow, endsAt);
  if (event === undefined) return await noEvent(flow);
  const eventMilliseconds = run.now() - storedAt;
  const wrong = wrongEvent(event, callback) ?? (await secondEvent(flow, more));
  if (wrong !== undefined) return wrong;
  return { passed: true, answeredMilliseconds: storedAt - postedAt, attempts, eventMilliseconds };
}

async function nextEvents(flow: SmokeFlow, endsAt: number): Promise<readonly PaycastEvent[]> {
  const { target, plan, callback, run } = flow;
  const { now, signal, leftoverMilliseconds } = run;
  const { orderNo, merchantId } = callback;
  const forget = async ({ subject = "", data: { callbackId } }: PaycastEvent) => {
    if (subject !== orderNo) flow.onLeftover();
    await cleanUp(target, { merchantId, orderNo: subject, callbackId });
  };
  const wait = { orderNo, endsAt, now, signal, leftoverMilliseconds, forget };
  return await takeEvents(target, plan.queueUrl, wait);
}

async function noEvent({ target, callback, run }: SmokeFlow): Promise<SmokeFailure> {
  const { message, action } = await explainSilence(target, callback);
  const seconds = run.timeoutMilliseconds / 1000;
  return failure("no-event", `No event arrived within ${seconds} seconds. ${message}`, action);
}

function wrongEvent(event: PaycastEvent, callback: SmokeCallback): SmokeFailure | undefined {
  const differences = differencesIn(event, callback);
  if (differences.length === 0) return undefined;
  const message = `The event differs from its callback in: ${differences.join(", ")}.`;
  return failure("wrong-event", message, "Report it: this is a bug in Paycast.");
}

async function secondEvent(
  flow: SmokeFlow,
  more: readonly PaycastEvent[],
): Promise<SmokeFailure | undefined> {
  flow.run.onStage("Checking that there is one event only");
  const quietUntil = flow.run.now() + flow.run.quietMilliseconds;
  const later = more.length > 0 ? [] : await nextEvents(flow, quietUntil);
  if (more.length + later.length === 0) return undefined;
  const message = "One callback, sent twice, led to two events.";
  return failure("second-event", message, "Report it: this is a bug in Paycast.");
}

/** What differs in an event from the callback that led to it. Empty if it is right. */
function differencesIn(event: PaycastEvent, callback: SmokeCallback): readonly string[] {
  const { data, type } = event;
  const { amount } = data;
  const currency = amount !== undefined && "currency" in amount ? amount.currency : undefined;
  const compared: readonly (readonly [string, string | undefined, string])[] = [
    ["type", type, "payment.order.success"],
    ["merchantId", data.merchantId, callback.merchantId],
    ["orderNo", data.orderNo, callback.orderNo],
    ["callbackId", data.callbackId, callback.callbackId],
    ["amount", amount?.value, smokeAmount.value],
    ["currency", currency, smokeAmount.currency],
  ];
  return compared.filter(([, is, should]) => is !== should).map(([name]) => name);
}
