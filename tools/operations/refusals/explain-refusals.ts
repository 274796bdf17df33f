import { counted, wholeSeconds } from "../../../shared/number-text.ts";
import { shellWord } from "../../../shared/shell-word.ts";
import { optionalRfc3339 } from "../../../shared/time/timestamp.ts";
import { keysKeptMilliseconds } from "../../../shared/timing.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { explainAwsError } from "../target/explain-error.ts";
import { keptFor, type MerchantSecrets, stackOption, type Target } from "../target/target.ts";
import { keepAMinute, type ReadMetrics } from "../telemetry/metric.ts";
import {
  causeAction,
  causeOf,
  causeText,
  readUseBefore,
  readVersions,
  requestsCommand,
  timeText,
  type Versions,
} from "./find-cause.ts";
import { isOfService, judgeReasons, type RefusedCallback, readRefused } from "./judge-reasons.ts";
import { type Refusals, readRefusals } from "./judge-refusals.ts";

/** Why callbacks of a merchant are refused, as far as counts, reasons, records and versions show it. */
export interface ExplainedRefusals {
  readonly merchantId: string;
  /**
   * `all`: callbacks are refused now. `over`: they were, until the keys were changed. `forged`: no known key signed them,
   * while others were accepted. `service`: they may be the service's own. `unclear`: nobody can say yet.
   */
  readonly kind: "all" | "over" | "forged" | "service" | "unclear";
  readonly text: string;
  /** What to do; absent if nothing is to be done. */
  readonly action?: string;
  /** The version that verified the callbacks before, if it can be restored. */
  readonly restorable?: string;
}

/** Undefined if no callback of the merchant was refused. */
async function explainRefusals(
  target: Target,
  merchant: MerchantSecrets,
  metrics: ReadMetrics,
): Promise<ExplainedRefusals | undefined> {
  const { merchantId } = merchant;
  const refusals = await readRefusals(metrics, merchantId);
  if (refusals === undefined) return undefined;
  if (refusals.kind === "unclear") {
    const text = `${someText(refusals)}. It is too soon to say why: look again in a minute.`;
    return { merchantId, kind: "unclear", text };
  }
  const [versions, refused] = await Promise.all([
    readVersions(target, merchant),
    readRefused(target, merchantId),
  ]);
  const seen = { versions, refusals, refused };
  return refusals.kind === "all"
    ? await explainAll(target, merchantId, seen)
    : { merchantId, ...explainSome(seen, shellWord(merchantId), stackOption(target)) };
}

/** What is known of the refused callbacks of a merchant. */
interface Seen {
  readonly refusals: Refusals;
  /** Undefined if the operator may not see them. */
  readonly versions: Versions | undefined;
  /** The newest of them, in the log; undefined if the operator may not read it. */
  readonly refused: readonly RefusedCallback[] | undefined;
}

function someText({ count }: Refusals): string {
  return `${counted(count, "callback")} refused as not authentic`;
}

type Explanation = Omit<ExplainedRefusals, "merchantId">;

/**
 * Callbacks were accepted after the refused ones. If functions could still use the keys of before the last change, the
 * change explains the refusals. Otherwise their reasons show whether strangers sent them.
 */
export function explainSome(seen: Seen, merchant: string, stack: string): Explanation {
  const { versions, refusals, refused = [] } = seen;
  const { accepted, firstAt, lastAt, acceptedUntil = 0 } = refusals;
  const some = someText(refusals);
  if (versions === undefined) {
    const text = `${some} beside ${accepted} accepted. Whether the keys were changed is not known: you may not see their versions. Somebody who may sees it with: npx paycast keys check ${merchant}${stack}`;
    return { kind: "unclear", text };
  }
  const { changedAt } = versions;
  const settledAt = changedAt + keysKeptMilliseconds;
  const changed = `The keys were changed at ${timeText(changedAt)}`;
  if (firstAt < settledAt && acceptedUntil < settledAt) {
    const text = `${some} beside ${accepted} accepted. ${changed}, and functions may use the old ones until ${timeText(settledAt)}: look again then.`;
    return { kind: "unclear", text };
  }
  // The counts are of whole minutes, the log has the exact times.
  if (lastAt < settledAt && !refused.some(({ timestamp }) => timestamp >= settledAt)) {
    const text = `${some}, the last at ${timeText(lastAt)}. ${changed}, and callbacks are accepted since then. The service sends the refused ones again, for 7 days.`;
    return { kind: "over", text };
  }
  return explainSenders(seen, settledAt, merchant, stack);
}

/** With the same keys for all functions, only what was refused since then speaks for or against the keys. */
function explainSenders(
  { refusals, refused }: Seen,
  settledAt: number,
  merchant: string,
  stack: string,
): Explanation {
  const some = `${someText(refusals)} in the same time as ${refusals.accepted} accepted ones.`;
  const sender = judgeReasons((refused ?? []).filter(({ timestamp }) => timestamp >= settledAt));
  if (sender === undefined) {
    const why = refused === undefined ? "You may not read the log" : "The log has none of them yet";
    const text = `${some} Who sent the refused ones is not known. ${why}. See each reason: ${requestsCommand(stack)}`;
    return { kind: "unclear", text };
  }
  if (sender.kind === "stranger") {
    const text = `${some} ${sender.text} So the keys are right, and the refused ones were forged or foreign. Nothing is to be done: they only got the answer 401.`;
    return { kind: "forged", text };
  }
  const action = senderAction(sender.kind, merchant, stack);
  return { kind: "service", text: `${some} ${sender.text}`, action };
}

function senderAction(kind: "service" | "repeated", merchant: string, stack: string): string {
  const see = `See each reason: ${requestsCommand(stack)}.`;
  return kind === "service"
    ? `${see} Compare the clocks with the service's. If it keeps the first timestamp when it sends a callback again, raise callbacks.maxAgeHours in the config. If the service did not send them, nothing is to be done.`
    : `${see} Let the stack capture them (callbacks.captureUntil in the config), then: npx paycast detect-profile --captured --merchant ${merchant}${stack}`;
}

export type FoundRefusals = ExplainedRefusals | { readonly problem: string } | undefined;

/** The same for somebody who may not read everything: what else they look at counts, too. */
export async function tryToExplain(
  target: Target,
  merchant: MerchantSecrets,
  metrics: ReadMetrics,
): Promise<FoundRefusals> {
  try {
    return await explainRefusals(target, merchant, metrics);
  } catch (error) {
    const problem = explainAwsError(error)?.message;
    if (problem === undefined) throw error;
    return { problem: `Whether callbacks are refused is not known. ${problem}` };
  }
}

const kept = keptFor(() => keepAMinute<readonly ExplainedRefusals[]>(Date.now));

/** The refusals of each merchant that has some. What cannot be read is left out. On AWS it is read once a minute. */
export async function readAllRefusals(
  target: Target,
  metrics: ReadMetrics,
): Promise<readonly ExplainedRefusals[]> {
  const explain = async () => {
    const { merchants } = target;
    const found = await fewAtOnce(
      merchants,
      (merchant) => tryToExplain(target, merchant, metrics),
      4,
    );
    return found.filter((refusals) => refusals !== undefined && "kind" in refusals);
  };
  return await (target.kind === "local" ? explain() : kept(target)("", explain));
}

async function explainAll(
  target: Target,
  merchantId: string,
  { versions, refusals: { count, acceptedUntil }, refused = [] }: Seen,
): Promise<ExplainedRefusals> {
  const use = await readUseBefore(target, merchantId, acceptedUntil);
  const versionId = use.lastVersionOf.get(merchantId);
  const recordedAt = versionId === undefined ? undefined : use.lastUsedAt.get(versionId);
  const lastAt = recordedAt ?? optionalRfc3339(acceptedUntil);
  const none =
    lastAt === undefined ? "and none accepted" : `none accepted since ${wholeSeconds(lastAt)}`;
  const cause = causeOf(versions, versionId, target.now());
  const some = `${counted(count, "callback")} refused as not authentic, ${none}.`;
  const [merchant, stack] = [shellWord(merchantId), stackOption(target)];
  const newest = refused.slice(0, count);
  // If the service's key signed all of them, no other key helps.
  if (newest.every(isOfService)) {
    const signed = judgeReasons(newest);
    const action = senderAction("service", merchant, stack);
    if (signed) return { merchantId, kind: "all", text: `${some} ${signed.text}`, action };
  }
  const text = `${some} ${causeText(cause, merchantId, use)}`;
  // What the last change has put right shows only when no function uses the old keys any more.
  if (cause?.now === "changed") return { merchantId, kind: "unclear", text };
  return { merchantId, kind: "all", text, ...causeAction(cause, merchant, stack) };
}
