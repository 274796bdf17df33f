import {
  isSignedReason,
  type SignedReason,
  signedReasons,
} from "../../../shared/envelope/refusal.ts";
import { numberText } from "../../../shared/text/number-text.ts";
import { minuteMilliseconds } from "../ports/metrics.ts";
import { reasonText } from "../reason-words.ts";
import { timeText } from "./find-cause.ts";
import { type RefusalLog, type RefusedCallback, repeatedIn } from "./read-refused.ts";

/** Who sent the rejected callbacks, and how the reasons show it. */
export type Sender = UnknownSender | ServiceSender;

interface UnknownSender {
  /**
   * `stranger`: no known key signed them. `repeated`: some arrived again like retries of the service, which may have
   * signed them in another way. `accepted`: the same, but each of these was accepted in another attempt. `unclear`: too
   * little was read.
   */
  readonly kind: "stranger" | "repeated" | "accepted" | "unclear";
  readonly text: string;
}

/** The service's key signed some. */
export interface ServiceSender {
  readonly kind: "service";
  readonly text: string;
  readonly reasons: readonly SignedReason[];
}

export function isOfService({ reason }: RefusedCallback): boolean {
  return isSignedReason(reason);
}

/** `firstAt`: since when callbacks were rejected. Undefined if the log has none of them. */
export function judgeReasons(log: RefusalLog, firstAt: number): Sender | undefined {
  const { refused } = log;
  if (refused.length === 0) return undefined;
  const signed = countReasons(refused.filter(isOfService));
  if (signed.length > 0) {
    const words = signed.map(([reason, count]) => `${reasonText(reason)} (${reason}: ${count}).`);
    const reasons = signedReasons.filter((known) => signed.some(([reason]) => reason === known));
    const text = `The service's own key signed some of them. ${words.join(" ")}`;
    return { kind: "service", reasons, text };
  }
  return judgeUnsigned(log, firstAt);
}

function judgeUnsigned(log: RefusalLog, firstAt: number): Sender {
  const { refused, readBackTo, acceptedIds } = log;
  const reasons = countReasons(refused).map(([reason, count]) => `${reason}: ${count}`);
  const shown = `No key of the merchant verifies them (${reasons.join(", ")})`;
  const repeated = repeatedIn(refused);
  const lost = repeated.filter((id) => !acceptedIds.has(id)).length;
  if (lost > 0) {
    const text = `${shown}, but ${lost} arrived again later, as retries of the service do. It may sign some callbacks, such as those of refunds, in another way.`;
    return { kind: "repeated", text };
  }
  if (!isReadFarEnough(log, firstAt)) {
    const text = `Only the newest ${numberText(refused.length)} were read, back to ${timeText(readBackTo)}. ${shown}. That time is too short to show whether the service retries some of them.`;
    return { kind: "unclear", text };
  }
  if (repeated.length === 0) {
    const text = `${shown}, and none arrived again, as retries of the service do.`;
    return { kind: "stranger", text };
  }
  const text = `${shown}, and ${repeated.length} arrived again, as retries of the service do. Each of these was accepted in another attempt.`;
  return { kind: "accepted", text };
}

/** The service's first retries arrive one minute and ten minutes after a failed attempt. */
const firstRetriesMilliseconds = 15 * minuteMilliseconds;

/**
 * A flood of forged callbacks can fill everything that was read. Then the retries of a real callback are visible only
 * if the rejected ones that were read, newest first, span some of them.
 */
export function isReadFarEnough({ refused, readBackTo }: RefusalLog, firstAt: number): boolean {
  const newestAt = refused[0]?.timestamp ?? 0;
  return readBackTo <= firstAt || newestAt - readBackTo >= firstRetriesMilliseconds;
}

/** Each reason with its count, the most frequent first. */
function countReasons(refused: readonly RefusedCallback[]): [reason: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { reason = "unknown" } of refused) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort(([, left], [, right]) => right - left);
}
