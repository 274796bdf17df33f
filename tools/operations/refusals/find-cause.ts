import { counted, wholeSeconds } from "../../../shared/text/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { keysKeptMilliseconds } from "../../../shared/timing.ts";
import { explainAwsError } from "../explain-error.ts";
import type { HeldVersion } from "../ports/keys.ts";
import type { MerchantSecrets } from "../ports/stack.ts";
import type { Target } from "../ports/target.ts";
import { readVersionUse, type VersionUse } from "../records/version-use.ts";
import { oldKeysText, readMerchantKeys } from "../secrets/stored-keys.ts";
import { useOfKeys } from "../secrets/use-of-keys.ts";

/** The versions of the callback keys, without their values. */
export interface Versions {
  readonly held: readonly HeldVersion[];
  readonly current: string | undefined;
  readonly previous: string | undefined;
  readonly previousEndsAt: number;
  readonly revoked: readonly string[];
  /** When anything of the secret changed for the last time. */
  readonly changedAt: number;
}

/** Undefined if the operator may not see them. */
export async function readVersions(
  target: Pick<Target, "keys">,
  { callbackKeys }: MerchantSecrets,
): Promise<Versions | undefined> {
  const calls = target.keys;
  try {
    const [held, stages] = await Promise.all([
      calls.list(callbackKeys),
      calls.stagesOf(callbackKeys),
    ]);
    const current = held.find(({ versionId }) => versionId === stages.current);
    const previousEndsAt =
      (current?.createdAtMilliseconds ?? 0) + target.keys.previousKeysMilliseconds;
    const { current: currentId, previous, revoked, changedAtMilliseconds: changedAt } = stages;
    return { held, current: currentId, previous, previousEndsAt, revoked, changedAt };
  } catch (error) {
    if (explainAwsError(error)?.code === "aws-denied") return undefined;
    throw error;
  }
}

/** Older than any: everything is read that readVersionUse reads at most. */
const anyVersion = { versionId: "", createdAtMilliseconds: 0 };

/** A callback is recorded some seconds after it was accepted. */
const recordingMilliseconds = 60_000;

/**
 * With several merchants, all of the newest records may be of others. So those of the last accepted callback are read
 * first.
 */
export async function readUseBefore(
  target: Pick<Target, "clock" | "records">,
  merchantId: string,
  acceptedUntil = Infinity,
): Promise<VersionUse> {
  const recordedUntil = Math.min(acceptedUntil + recordingMilliseconds, target.clock.now());
  const use = await readVersionUse(target, [anyVersion], () => recordedUntil);
  const isFound = use.lastVersionOf.has(merchantId) || recordedUntil === target.clock.now();
  return isFound ? use : await readVersionUse(target, [anyVersion]);
}

/**
 * The same, where a version counts as the one that holds the same keys now. Undefined if the operator may not read the
 * keys.
 */
export async function tryUseOfKeys(
  target: Pick<Target, "stack" | "clock" | "keys">,
  merchantId: string,
  versions: Versions | undefined,
  use: VersionUse,
): Promise<VersionUse | undefined> {
  const last = use.lastVersionOf.get(merchantId);
  if (last === undefined || last === versions?.current) return use;
  try {
    const [stored] = await readMerchantKeys(target, merchantId, ["callback"]);
    return stored && (await useOfKeys(target, stored, use));
  } catch (error) {
    if (explainAwsError(error)?.code === "aws-denied") return undefined;
    throw error;
  }
}

/** The state of the version that verified the callbacks before the rejected ones. */
export type Cause = { readonly versionId: string } & (
  | { readonly now: "current" | "previous" | "taken-out" | "revoked" | "gone" | "not-seen" }
  | { readonly now: "over"; readonly endedAt: number }
  /** It verifies again, and functions may use others until then. */
  | { readonly now: "changed"; readonly oldKeysUntil: number }
);

export function causeOf(
  versions: Versions | undefined,
  versionId: string | undefined,
  nowMilliseconds: number,
): Cause | undefined {
  if (versionId === undefined) return undefined;
  if (versions === undefined) return { versionId, now: "not-seen" };
  const { held, current, previous, previousEndsAt, revoked } = versions;
  const oldKeysUntil = versions.changedAt + keysKeptMilliseconds;
  if (versionId === current) {
    const isSettled = oldKeysUntil <= nowMilliseconds;
    return isSettled ? { versionId, now: "current" } : { versionId, now: "changed", oldKeysUntil };
  }
  if (revoked.includes(versionId)) return { versionId, now: "revoked" };
  if (versionId === previous) {
    const isOver = previousEndsAt <= nowMilliseconds;
    return isOver
      ? { versionId, now: "over", endedAt: previousEndsAt }
      : { versionId, now: "previous" };
  }
  const isHeld = held.some((version) => version.versionId === versionId);
  return { versionId, now: isHeld ? "taken-out" : "gone" };
}

/** `areCompared`: the versions were compared by their keys, and not only by their ids. */
export function causeText(
  cause: Cause | undefined,
  merchantId: string,
  use: VersionUse,
  areCompared = true,
): string {
  const { timesUsed, callbacks, since, problem } = use;
  const unknown = "It is not known which keys the service uses";
  if (problem !== undefined) return `${unknown}. ${problem}`;
  if (cause === undefined) {
    return callbacks === 0
      ? `${unknown}: no callback was recorded since ${wholeSeconds(since)}.`
      : `${unknown}: none of ${merchantId}'s is among the last ${counted(callbacks, "callback")}, since ${wholeSeconds(since)}.`;
  }
  const { versionId } = cause;
  const times = timesUsed.get(versionId) ?? 0;
  const before = `${counted(times, "callback")} before that ${times === 1 ? "was" : "were"} verified by the keys of version ${versionId}`;
  switch (cause.now) {
    case "current":
    case "previous":
      return `${before}, which is still ${cause.now}. So the service has a new key or another wire profile, or only unknown senders call.`;
    case "changed":
      return `${before}, which is current again. ${oldKeysText(cause.oldKeysUntil)} Check again then.`;
    case "over":
      return `${before}, which is the previous one; its time ended at ${timeText(cause.endedAt)}. The current version verified none.`;
    case "taken-out": {
      const same = areCompared ? "" : "the current ones are the same (you may not read them), ";
      return `${before}, which is neither current nor previous. So the keys are wrong, unless ${same}the service has changed its key or only unknown senders call.`;
    }
    case "revoked":
      return `${before}, which was revoked.`;
    case "gone":
      return `${before}, which Secrets Manager no longer holds.`;
    case "not-seen":
      return `${before}.`;
  }
}

interface CauseAction {
  readonly action: string;
  /** The version that verified the callbacks before, if it can be restored. */
  readonly restorable?: string;
}

/** What to do. A version that can be restored needs no files. */
export function causeAction(
  cause: Cause | undefined,
  merchant: string,
  stack: string,
): CauseAction {
  const set = `npx paycast keys set ${merchant} --service-public-key FILE${stack}`;
  switch (cause?.now) {
    case "over":
    case "taken-out": {
      const { versionId } = cause;
      return { action: restoreAction(merchant, versionId, stack), restorable: versionId };
    }
    case "not-seen":
      return { action: `Check whether it is current: npx paycast keys check ${merchant}${stack}` };
    case "revoked":
    case "gone":
      return { action: `Get the service's public key, then: ${set} --correct` };
    case "current":
    case "previous":
    case "changed":
    case undefined:
      return {
        action: `List the reasons: ${requestsCommand(stack)}. Ask the service whether it has a new key, then: ${set}`,
      };
  }
}

export function requestsCommand(stack: string): string {
  return `npx paycast requests --route callbacks --answer refused${stack}`;
}

export function timeText(milliseconds: number): string {
  return wholeSeconds(toRfc3339(milliseconds));
}

function restoreAction(merchant: string, versionId: string, stack: string): string {
  return `Make it current again: npx paycast keys restore ${merchant} --only callback --version ${versionId}${stack}`;
}
