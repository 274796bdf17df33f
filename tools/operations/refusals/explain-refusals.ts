import { counted, wholeSeconds } from "../../../shared/number-text.ts";
import { shellWord } from "../../../shared/shell-word.ts";
import { optionalRfc3339 } from "../../../shared/time/timestamp.ts";
import { keysKeptMilliseconds } from "../../../shared/timing.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { readVersionUse } from "../records/version-use.ts";
import { explainAwsError } from "../target/explain-error.ts";
import { keptFor, type MerchantSecrets, stackOption, type Target } from "../target/target.ts";
import { keepAMinute, type ReadMetrics } from "../telemetry/metric.ts";
import {
  causeAction,
  causeOf,
  causeText,
  readVersions,
  timeText,
  type Versions,
} from "./find-cause.ts";
import { type Refusals, readRefusals } from "./judge-refusals.ts";

/** Why callbacks of a merchant are refused, as far as counts, records and versions show it. */
export interface ExplainedRefusals {
  readonly merchantId: string;
  /**
   * `all`: callbacks are refused now. `over`: they were, until the keys were changed. `forged`: others were accepted with
   * the same keys. `unclear`: too soon to say.
   */
  readonly kind: "all" | "over" | "forged" | "unclear";
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
  const versions = await readVersions(target, merchant);
  return refusals.kind === "all"
    ? await explainAll(target, merchantId, versions, refusals)
    : {
        merchantId,
        ...explainSome(versions, refusals, shellWord(merchantId), stackOption(target)),
      };
}

function someText({ count }: Refusals): string {
  return `${counted(count, "callback")} refused as not authentic`;
}

/**
 * Callbacks that are accepted after a refused one, with the same keys, show that the keys are right. For some minutes after
 * a change, instances with the keys of before accept what others refuse.
 */
export function explainSome(
  versions: Versions | undefined,
  refusals: Refusals,
  merchant: string,
  stack: string,
): Pick<ExplainedRefusals, "kind" | "text"> {
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
  const isSame = changedAt < firstAt || lastAt >= settledAt;
  if (isSame) {
    const text = `${some} in the same time as ${accepted} accepted ones. So the keys are right, and the refused ones were forged or foreign. Nothing is to be done: they only got the answer 401.`;
    return { kind: "forged", text };
  }
  const text = `${some}, the last at ${timeText(lastAt)}. ${changed}, and callbacks are accepted since then. The service sends the refused ones again, for 7 days.`;
  return { kind: "over", text };
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
  versions: Versions | undefined,
  { count, acceptedUntil }: Refusals,
): Promise<ExplainedRefusals> {
  const use = await readVersionUse(target, [anyVersion]);
  const versionId = use.lastVersionOf.get(merchantId);
  const recordedAt = versionId === undefined ? undefined : use.lastUsedAt.get(versionId);
  const lastAt = recordedAt ?? optionalRfc3339(acceptedUntil);
  const none =
    lastAt === undefined ? "and none accepted" : `none accepted since ${wholeSeconds(lastAt)}`;
  const cause = causeOf(versions, versionId, target.now());
  const refused = `${counted(count, "callback")} refused as not authentic, ${none}.`;
  const text = `${refused} ${causeText(cause, use)}`;
  // What the last change has put right shows only when no function uses the old keys any more.
  if (cause?.now === "changed") return { merchantId, kind: "unclear", text };
  return {
    merchantId,
    kind: "all",
    text,
    ...causeAction(cause, shellWord(merchantId), stackOption(target)),
  };
}

/** Older than any: everything is read that readVersionUse reads at most. */
const anyVersion = { versionId: "", createdAtMilliseconds: 0 };
