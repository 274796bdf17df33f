import { counted, wholeSeconds } from "../../../shared/text/number-text.ts";
import { shellWord } from "../../../shared/text/shell-word.ts";
import { optionalRfc3339 } from "../../../shared/time/timestamp.ts";
import { keysKeptMilliseconds } from "../../../shared/timing.ts";
import { explainAwsError } from "../explain-error.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { keepAMinute, type ReadMetrics } from "../ports/metrics.ts";
import type { MerchantSecrets } from "../ports/stack.ts";
import { keptFor, type Target } from "../ports/target.ts";
import { stackOption } from "../stack-option.ts";
import { type Explanation, explainSenders, signedAction, someText } from "./explain-senders.ts";
import {
  causeAction,
  causeOf,
  causeText,
  readUseBefore,
  readVersions,
  timeText,
  tryUseOfKeys,
  type Versions,
} from "./find-cause.ts";
import { isOfService, isReadFarEnough, judgeReasons, type ServiceSender } from "./judge-reasons.ts";
import { type Refusals, readRefusals } from "./judge-refusals.ts";
import { type RefusalLog, readRefused } from "./read-refused.ts";

/** Why callbacks of a merchant are rejected, as far as counts, reasons, records and versions show it. */
export interface ExplainedRefusals extends Explanation {
  readonly merchantId: string;
}

/** Undefined if no callback of the merchant was rejected. */
async function explainRefusals(
  target: Pick<Target, "stack" | "clock" | "records" | "keys" | "log">,
  merchant: MerchantSecrets,
  metrics: ReadMetrics,
): Promise<ExplainedRefusals | undefined> {
  const { merchantId } = merchant;
  const refusals = await readRefusals(metrics, merchantId);
  if (refusals === undefined) return undefined;
  if (refusals.kind === "unclear") {
    const text = `${someText(refusals)}. It is too early to say why: check again in a minute.`;
    return { merchantId, kind: "unclear", text };
  }
  const [versions, log] = await Promise.all([
    readVersions(target, merchant),
    readRefused(target, merchantId),
  ]);
  const seen = { versions, refusals, log };
  return refusals.kind === "all"
    ? await explainAll(target, merchantId, seen)
    : { merchantId, ...explainSome(seen, shellWord(merchantId), stackOption(target.stack)) };
}

/** What is known about the rejected callbacks of a merchant. */
interface Seen {
  readonly refusals: Refusals;
  /** Undefined if the operator may not see them. */
  readonly versions: Versions | undefined;
  /** Undefined if the operator may not read it. */
  readonly log: RefusalLog | undefined;
}

/**
 * Callbacks were accepted after the rejected ones. If functions could still use the keys from before the last change,
 * the change explains the rejections. Otherwise their reasons show who sent them.
 */
export function explainSome(seen: Seen, merchant: string, stack: string): Explanation {
  const { versions, refusals, log } = seen;
  const { accepted, firstAt, lastAt, acceptedUntil = 0 } = refusals;
  const some = someText(refusals);
  if (versions === undefined) {
    const text = `${some}, and ${accepted} accepted. You may not see the versions of the keys, so it is not known whether they were changed. Someone who may can run: npx paycast keys check ${merchant}${stack}`;
    return { kind: "unclear", text };
  }
  const { changedAt } = versions;
  const settledAt = changedAt + keysKeptMilliseconds;
  const changed = `The keys were changed at ${timeText(changedAt)}`;
  if (firstAt < settledAt && acceptedUntil < settledAt) {
    const text = `${some}, and ${accepted} accepted. ${changed}, and functions may use the old ones until ${timeText(settledAt)}: check again then.`;
    return { kind: "unclear", text };
  }
  // The counts are of whole minutes, the log has the exact times.
  if (lastAt < settledAt && !log?.refused.some(({ timestamp }) => timestamp >= settledAt)) {
    const text = `${some}, the last at ${timeText(lastAt)}. ${changed}, and callbacks have been accepted since then. The service retries the rejected ones for 7 days.`;
    return { kind: "over", text };
  }
  return explainSenders(refusals, log, settledAt, merchant, stack);
}

export type FoundRefusals = ExplainedRefusals | { readonly problem: string } | undefined;

/** The same for an operator who may not read everything: the rest of the report is still shown. */
export async function tryToExplain(
  target: Pick<Target, "stack" | "clock" | "records" | "keys" | "log">,
  merchant: MerchantSecrets,
  metrics: ReadMetrics,
): Promise<FoundRefusals> {
  try {
    return await explainRefusals(target, merchant, metrics);
  } catch (error) {
    const problem = explainAwsError(error)?.message;
    if (problem === undefined) throw error;
    return { problem: `It is not known whether callbacks are rejected. ${problem}` };
  }
}

const kept = keptFor(() => keepAMinute<readonly ExplainedRefusals[]>(Date.now));

/** The refusals of each merchant that has some. What cannot be read is omitted. On AWS it is read once a minute. */
export async function readAllRefusals(
  target: Pick<Target, "stack" | "clock" | "records" | "keys" | "log">,
  metrics: ReadMetrics,
): Promise<readonly ExplainedRefusals[]> {
  const explain = async () => {
    const { merchants } = target.stack;
    const found = await fewAtOnce(
      merchants,
      (merchant) => tryToExplain(target, merchant, metrics),
      4,
    );
    return found.filter((refusals) => refusals !== undefined && "kind" in refusals);
  };
  return await (target.stack.kind === "local" ? explain() : kept(target)("", explain));
}

async function explainAll(
  target: Pick<Target, "stack" | "clock" | "records" | "keys">,
  merchantId: string,
  { versions, refusals, log }: Seen,
): Promise<ExplainedRefusals> {
  const { count, acceptedUntil } = refusals;
  const byIds = await readUseBefore(target, merchantId, acceptedUntil);
  const byKeys = await tryUseOfKeys(target, merchantId, versions, byIds);
  const use = byKeys ?? byIds;
  const versionId = use.lastVersionOf.get(merchantId);
  const recordedAt = versionId === undefined ? undefined : use.lastUsedAt.get(versionId);
  const lastAt = recordedAt ?? optionalRfc3339(acceptedUntil);
  const none =
    lastAt === undefined ? "and none accepted" : `none accepted since ${wholeSeconds(lastAt)}`;
  const cause = causeOf(versions, versionId, target.clock.now());
  const some = `${counted(count, "callback")} rejected as not authentic, ${none}.`;
  const [merchant, stack] = [shellWord(merchantId), stackOption(target.stack)];
  const signed = log && judgeSigned(log, refusals);
  if (signed) {
    const action = signedAction(signed, stack);
    return { merchantId, kind: "all", text: `${some} ${signed.text}`, action };
  }
  const text = `${some} ${causeText(cause, merchantId, use, byKeys !== undefined)}`;
  // The effect of the last change shows only when no function uses the old keys any more.
  if (cause?.now === "changed") return { merchantId, kind: "unclear", text };
  return { merchantId, kind: "all", text, ...causeAction(cause, merchant, stack) };
}

/** If the service's key signed all of them, no other key helps. */
function judgeSigned(log: RefusalLog, { count, firstAt }: Refusals): ServiceSender | undefined {
  const refused = log.refused.slice(0, count);
  const isKnown = isReadFarEnough({ ...log, refused }, firstAt);
  if (!isKnown || !refused.every(isOfService)) return undefined;
  const sender = judgeReasons({ ...log, refused }, firstAt);
  return sender?.kind === "service" ? sender : undefined;
}
