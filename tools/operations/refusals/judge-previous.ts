import { fewestInQuietShop } from "../../../shared/receiving/refusal-alarm.ts";
import { shellWord } from "../../../shared/text/shell-word.ts";
import { outdatedKeysMilliseconds } from "../../../shared/timing.ts";
import type { HeldVersion, Stages } from "../ports/keys.ts";
import { findMerchant } from "../ports/stack.ts";
import type { Target } from "../ports/target.ts";
import { useText, type VersionUse } from "../records/version-use.ts";
import { isRevoked } from "../secrets/stages.ts";
import { stackOption } from "../stack-option.ts";
import { causeAction, causeOf, readVersions, timeText } from "./find-cause.ts";

/** Callback keys with a previous version. */
interface BothVersions {
  readonly current?: HeldVersion | undefined;
  readonly previous?: (HeldVersion & { readonly endsAt?: number }) | undefined;
}

/**
 * Whether the previous callback keys are still needed, as far as the last callbacks show it. `alone`: a day after the
 * change they still verify everything. The current ones are wrong, which goes unnoticed until the previous ones end.
 */
const previousWords = {
  over: () => "The previous callback keys no longer verify: their time is over.",
  alone: ({ used, current, ends }: Words) =>
    `The current callback keys, made ${current}, verified none of the last callbacks; the previous ones verified ${used}. They verify until ${ends}, and then every callback is rejected.`,
  "in-use": ({ used, isCurrentUsed, ends }: Words) =>
    `The previous callback keys are still in use: they verified ${used}${isCurrentUsed ? "" : `, and the current ones none yet. If the service has changed its key already, the current ones are wrong; the previous ones verify until ${ends}`}.`,
  safe: ({ used }: Words) =>
    `The previous callback keys verified ${used}. You can remove them ("keys revoke --previous").`,
  unknown: () =>
    "None of the last callbacks is of this merchant, so it is not known whether the service still uses the previous callback keys.",
};
export type PreviousUse = keyof typeof previousWords;

interface Words {
  readonly used: string;
  readonly isCurrentUsed: boolean;
  readonly current: string;
  readonly ends: string;
}

/** Undefined if there are no previous keys, if they verify nothing anyway, or if the records cannot be read. */
export function judgePrevious(
  { current, previous }: BothVersions,
  use: VersionUse,
  nowMilliseconds: number,
): { readonly kind: PreviousUse; readonly text: string } | undefined {
  if (current === undefined || previous?.endsAt === undefined) return undefined;
  const kind = kindOf(current, { ...previous, endsAt: previous.endsAt }, use, nowMilliseconds);
  if (kind === undefined) return undefined;
  const words = {
    used: useText(previous.versionId, use),
    isCurrentUsed: use.lastUsedAt.has(current.versionId),
    current: timeText(current.createdAtMilliseconds),
    ends: timeText(previous.endsAt),
  };
  return { kind, text: previousWords[kind](words) };
}

function kindOf(
  current: HeldVersion,
  previous: HeldVersion & { readonly endsAt: number },
  { lastUsedAt, timesUsed, problem }: VersionUse,
  nowMilliseconds: number,
): PreviousUse | undefined {
  if (previous.endsAt <= nowMilliseconds) return "over";
  if (problem !== undefined) return undefined;
  const isCurrentUsed = lastUsedAt.has(current.versionId);
  const count = timesUsed.get(previous.versionId) ?? 0;
  if (count === 0) return isCurrentUsed ? "safe" : "unknown";
  const isLate = nowMilliseconds - current.createdAtMilliseconds > outdatedKeysMilliseconds;
  return isLate && !isCurrentUsed && count >= fewestInQuietShop ? "alone" : "in-use";
}

/** What the use of callback keys warns of, and what to do. */
export interface UseWarning {
  readonly text: string;
  readonly action: string;
}

/**
 * Callbacks that the current keys do not verify. A version verified them whose keys are neither current nor previous, so
 * the next ones are rejected; or the previous one did, a day after the change. `use` is that of the keys.
 */
export async function warnOfUse(
  target: Pick<Target, "stack" | "clock" | "keys">,
  keys: BothVersions & { readonly merchantId: string; readonly stages: Stages },
  use: VersionUse,
): Promise<UseWarning | undefined> {
  const [merchant, stack] = [shellWord(keys.merchantId), stackOption(target.stack)];
  const lost = lostVersion(keys, use);
  if (lost !== undefined) {
    const versions = await readVersions(target, findMerchant(target.stack, keys.merchantId));
    const isGone = causeOf(versions, lost, target.clock.now())?.now === "gone";
    const cause = { versionId: lost, now: isGone ? "gone" : "taken-out" } as const;
    const state = isGone
      ? "Secrets Manager no longer holds it. Unless the current keys are the same, or"
      : "is neither current nor previous. Unless";
    const text = `Version ${lost} verified ${useText(lost, use)}, and ${state} the service has changed its key, every callback is rejected.`;
    return { text, action: causeAction(cause, merchant, stack).action };
  }
  const judged = judgePrevious(keys, use, target.clock.now());
  if (judged?.kind !== "alone") return undefined;
  const action = `Compare the fingerprints with the service's: npx paycast keys check ${merchant}${stack}. With the right key at hand: npx paycast keys set ${merchant} --service-public-key FILE --correct${stack}. To restore the previous keys: npx paycast keys restore ${merchant} --only callback${stack}`;
  return { text: judged.text, action };
}

function lostVersion(
  { merchantId, stages }: { readonly merchantId: string; readonly stages: Stages },
  { lastVersionOf }: VersionUse,
): string | undefined {
  const versionId = lastVersionOf.get(merchantId);
  const isKnown = [stages.current, stages.previous].includes(versionId);
  return isKnown || isRevoked(stages, versionId) ? undefined : versionId;
}
