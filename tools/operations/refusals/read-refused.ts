import { quietShopMinutes } from "../../../shared/receiving/refusal-alarm.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { explainAwsError } from "../explain-error.ts";
import { minuteMilliseconds } from "../ports/metrics.ts";
import type { ReceivingLine } from "../ports/request-line.ts";
import type { Target } from "../ports/target.ts";
import { findAttempts } from "../requests/find-attempts.ts";
import { readRequests } from "../requests/read-requests.ts";

/** A callback that was rejected as not authentic, as far as the log shows it. */
export type RefusedCallback = Pick<ReceivingLine, "timestamp" | "reason" | "claimedCallbackId">;

/** What the log shows about a merchant's rejected callbacks. */
export interface RefusalLog {
  /** The newest of the last six hours, the newest first. */
  readonly refused: readonly RefusedCallback[];
  /** None before this time was read. 0 if all of the six hours were read. */
  readonly readBackTo: number;
  /** The ids of those that arrived again and were accepted in another attempt. */
  readonly acceptedIds: ReadonlySet<string>;
}

/** Enough to see who sends. A flood of forged callbacks has many more. */
const mostLines = 500;
const mostCalls = 20;

/** Undefined if the operator may not read the log. */
export async function readRefused(
  target: Pick<Target, "clock" | "log">,
  merchantId: string,
): Promise<RefusalLog | undefined> {
  const until = target.clock.now() + 1;
  const since = until - quietShopMinutes * minuteMilliseconds;
  const reading = { since, until, limit: mostLines, calls: mostCalls, merchantId };
  const filter = { route: "callbacks", answer: "401" } as const;
  const work = { stopped: new AbortController().signal, tell: () => undefined };
  try {
    const found = await readRequests(target, { ...reading, ...filter }, work);
    const refused = found.lines.filter((line) => line.service === "receive-callback");
    const readBackTo = found.readBackTo <= since ? 0 : found.readBackTo;
    const range = { from: toRfc3339(since), until: toRfc3339(until) };
    const acceptedIds = await findAccepted(target, merchantId, repeatedIn(refused), range);
    return { refused, readBackTo, acceptedIds };
  } catch (error) {
    if (explainAwsError(error)?.code === "aws-denied") return undefined;
    throw error;
  }
}

/** The service retries a callback with the same id, so the log shows which of these it accepted. */
async function findAccepted(
  target: Pick<Target, "log">,
  merchantId: string,
  callbackIds: readonly string[],
  range: { readonly from: string; readonly until: string },
): Promise<ReadonlySet<string>> {
  if (callbackIds.length === 0) return new Set();
  const wanted = { merchantId, orderNo: "", paymentIds: [], callbackIds, ...range };
  const { lines } = await findAttempts(target, wanted);
  const accepted = lines.filter(
    (line) => line.outcome === "accepted" && line.merchantId === merchantId,
  );
  return new Set(accepted.flatMap(({ callbackId = [] }) => callbackId));
}

/** The first delivery and up to 8 retries (§6). A sender that sends an id more often is not the service. */
const mostAttempts = 9;

/**
 * The ids of callbacks that arrived again. Retries are a minute or more apart; a flood of one forged body is faster.
 */
export function repeatedIn(refused: readonly RefusedCallback[]): string[] {
  const timesOf = new Map<string, number[]>();
  for (const { claimedCallbackId: id, timestamp } of refused) {
    if (id !== undefined) timesOf.set(id, [...(timesOf.get(id) ?? []), timestamp]);
  }
  return [...timesOf].flatMap(([id, times]) => (isRetried(times) ? [id] : []));
}

function isRetried(times: readonly number[]): boolean {
  const isLater = Math.max(...times) - Math.min(...times) >= minuteMilliseconds;
  return isLater && times.length <= mostAttempts;
}
