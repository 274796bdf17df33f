import { counted, wholeSeconds } from "../../../shared/number-text.ts";
import { shellWord } from "../../../shared/shell-word.ts";
import { optionalRfc3339 } from "../../../shared/time/timestamp.ts";
import { keysKeptMilliseconds } from "../../../shared/timing.ts";
import { readVersionUse } from "../records/version-use.ts";
import { explainAwsError } from "../target/explain-error.ts";
import { type MerchantSecrets, stackOption, type Target } from "../target/target.ts";
import { minuteMilliseconds, type ReadMetrics } from "../telemetry/metric.ts";
import { causeAction, causeOf, causeText, readVersions, timeText } from "./find-cause.ts";
import { type Refusals, readRefusals } from "./judge-refusals.ts";

/** Why callbacks of a merchant are refused, as far as counts, records and versions show it. */
export interface ExplainedRefusals {
  readonly merchantId: string;
  readonly kind: Refusals["kind"];
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
  const { kind, count } = refusals;
  if (kind === "all") return await explainAll(target, merchant, refusals);
  const some = `${counted(count, "callback")} refused as not authentic`;
  if (kind === "unclear") {
    const text = `${some}. It is too soon to say why: look again in a minute.`;
    return { merchantId, kind, text };
  }
  const versions = await readVersions(target, merchant);
  const until = (versions?.changedAt ?? 0) + keysKeptMilliseconds;
  // Instances with the keys of before still accept what the others refuse.
  if ((refusals.acceptedUntil ?? 0) - minuteMilliseconds < until) {
    const text = `${some} beside ${refusals.accepted} accepted. The keys were changed a moment ago, and functions may use the old ones until ${timeText(until)}: look again then.`;
    return { merchantId, kind: "unclear", text };
  }
  const text = `${some} in the same time as ${refusals.accepted} accepted ones. So the keys are right, and the refused ones were forged or foreign. Nothing is to be done: they only got the answer 401.`;
  return { merchantId, kind, text };
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

async function explainAll(
  target: Target,
  merchant: MerchantSecrets,
  { count, acceptedUntil }: Refusals & { kind: "all" },
): Promise<ExplainedRefusals> {
  const { merchantId } = merchant;
  const [versions, use] = await Promise.all([
    readVersions(target, merchant),
    readVersionUse(target, [anyVersion]),
  ]);
  const versionId = use.lastVersionOf.get(merchantId);
  const recordedAt = versionId === undefined ? undefined : use.lastUsedAt.get(versionId);
  const lastAt = recordedAt ?? optionalRfc3339(acceptedUntil);
  const none =
    lastAt === undefined ? "and none accepted" : `none accepted since ${wholeSeconds(lastAt)}`;
  const cause = causeOf(versions, versionId, target.now());
  const stack = stackOption(target);
  return {
    merchantId,
    kind: "all",
    text: `${counted(count, "callback")} refused as not authentic, ${none}. ${causeText(cause, use)}`,
    ...causeAction(cause, shellWord(merchantId), stack),
  };
}

/** Older than any: everything is read that readVersionUse reads at most. */
const anyVersion = { versionId: "", createdAtMilliseconds: 0 };
