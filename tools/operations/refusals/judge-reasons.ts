import type { RefusalReason } from "../../../shared/envelope/refusal.ts";
import { quietShopMinutes } from "../../../shared/receiving/refusal-alarm.ts";
import { reasonText } from "../reason-words.ts";
import { readRequests } from "../requests/read-requests.ts";
import { explainAwsError } from "../target/explain-error.ts";
import type { Target } from "../target/target.ts";
import { minuteMilliseconds } from "../telemetry/metric.ts";
import type { ReceivingLine } from "../telemetry/request-lines.ts";

/** A callback that was refused as not authentic, as far as the log shows it. */
export type RefusedCallback = Pick<ReceivingLine, "timestamp" | "reason" | "claimedCallbackId">;

/** Enough to see who sends. A flood of forged callbacks has many more. */
const mostLines = 500;
const mostCalls = 20;

/** The newest refused callbacks of a merchant, in the last six hours. Undefined if the operator may not read the log. */
export async function readRefused(
  target: Target,
  merchantId: string,
): Promise<readonly RefusedCallback[] | undefined> {
  const until = target.now() + 1;
  const since = until - quietShopMinutes * minuteMilliseconds;
  const reading = { since, until, limit: mostLines, calls: mostCalls, merchantId };
  const filter = { route: "callbacks", answer: "401" } as const;
  const work = { stopped: new AbortController().signal, tell: () => undefined };
  try {
    const { lines } = await readRequests(target, { ...reading, ...filter }, work);
    return lines.filter((line) => line.service === "receive-callback");
  } catch (error) {
    if (explainAwsError(error)?.code === "aws-denied") return undefined;
    throw error;
  }
}

/** Who sent the refused callbacks, and how the reasons show it. */
export interface Sender {
  /**
   * `stranger`: no known key signed them. `service`: the service's key signed some. `repeated`: some came again as the
   * service sends a callback again, so it may have signed them in another way.
   */
  readonly kind: "stranger" | "service" | "repeated";
  readonly text: string;
}

/** These are found only after the signature matched (shared/envelope/open-callback.ts). */
const signedReasons: readonly RefusalReason[] = ["too-old", "too-new", "merchant-differs"];

export function isOfService({ reason }: RefusedCallback): boolean {
  return signedReasons.some((signed) => signed === reason);
}

/** Undefined without a callback to judge by. */
export function judgeReasons(refused: readonly RefusedCallback[]): Sender | undefined {
  if (refused.length === 0) return undefined;
  const signed = countReasons(refused.filter(isOfService));
  if (signed.length > 0) {
    const words = signed.map(([reason, count]) => `${reasonText(reason)} (${reason}: ${count}).`);
    const text = `The service's own key signed some of them. ${words.join(" ")}`;
    return { kind: "service", text };
  }
  const reasons = countReasons(refused).map(([reason, count]) => `${reason}: ${count}`);
  const shown = `No key of the merchant verifies them (${reasons.join(", ")})`;
  const repeated = countRepeated(refused);
  if (repeated === 0) {
    return {
      kind: "stranger",
      text: `${shown}, and none came again, as the service would send it.`,
    };
  }
  const text = `${shown}, but ${repeated} came again later, as the service sends a callback again. It may sign some callbacks, such as those of refunds, in another way.`;
  return { kind: "repeated", text };
}

/** Each reason with its count, the most frequent first. */
function countReasons(refused: readonly RefusedCallback[]): [reason: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { reason = "unknown" } of refused) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort(([, left], [, right]) => right - left);
}

/** The first delivery and up to 8 retries (§6). Whoever sends an id more often is not the service. */
const mostAttempts = 9;

/** How many callbacks came again, by their ids. Retries are a minute or more apart; a flood of one forged body is faster. */
function countRepeated(refused: readonly RefusedCallback[]): number {
  const timesOf = new Map<string, number[]>();
  for (const { claimedCallbackId: id, timestamp } of refused) {
    if (id !== undefined) timesOf.set(id, [...(timesOf.get(id) ?? []), timestamp]);
  }
  return [...timesOf.values()].filter(isRetried).length;
}

function isRetried(times: readonly number[]): boolean {
  const isLater = Math.max(...times) - Math.min(...times) >= minuteMilliseconds;
  return isLater && times.length <= mostAttempts;
}
