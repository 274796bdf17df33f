import { wholeSeconds } from "../../../shared/text/number-text.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../ports/target.ts";
import { readVersionUse, useText } from "../records/version-use.ts";
import { type GoodKeys, keysInvalid } from "../secrets/inspect-keys.ts";
import { compareKeys, hasSamePrevious } from "../secrets/key-doubts.ts";
import { isRevoked, isUndone } from "../secrets/stages.ts";
import { readVersion, type StoredVersion } from "../secrets/stored-keys.ts";
import { useOfKeys } from "../secrets/use-of-keys.ts";
import { keptFirst, type SecretChange } from "./decide-stages.ts";

/** Reasons not to store new keys. The operator can insist. */
export async function findObjections(
  target: Pick<Target, "clock" | "records" | "keys">,
  changes: readonly SecretChange[],
): Promise<string[]> {
  const found = await Promise.all([usedObjections(target, changes), revokedTexts(target, changes)]);
  return found.flat();
}

/** Keys that leaked do not become current again, whatever their version is. Throws `keys-invalid`. */
export async function refuseRevoked(
  target: Pick<Target, "keys">,
  changes: readonly SecretChange[],
): Promise<void> {
  const [text] = await revokedTexts(target, changes);
  if (text !== undefined) throw keysInvalid(text);
}

async function revokedTexts(
  target: Pick<Target, "keys">,
  changes: readonly SecretChange[],
): Promise<string[]> {
  return (await Promise.all(changes.map((change) => revokedText(target, change)))).flat();
}

/**
 * Files or another version may hold the keys of a revoked version. Versions whose value Secrets Manager has deleted are
 * not recognised.
 */
async function revokedText(target: Pick<Target, "keys">, change: SecretChange): Promise<string[]> {
  const { stored, added } = change;
  const keys = keysThatBecomeCurrent(change);
  if (keys === undefined) return [];
  const { revoked } = stored.stages;
  const versions = await fewAtOnce(revoked, (versionId) => readVersion(target, stored, versionId));
  const same = versions.find(
    (version) => version?.keys !== undefined && compareKeys(version.keys, keys).areSameKeys,
  );
  if (same === undefined) return [];
  const which = added === undefined ? "These" : "The new";
  return [
    `${which} ${stored.kind} keys are those of version ${same.versionId}, which was revoked.`,
  ];
}

function keysThatBecomeCurrent(change: SecretChange): GoodKeys | undefined {
  const { stored, goal } = change;
  if (goal.current === stored.stages.current) return undefined;
  return keptFirst(change).find(({ versionId }) => versionId === goal.current)?.keys;
}

/** The previous version, if the change removes it although it can be used and was neither revoked nor leaked. */
function removedBy({ stored, goal }: SecretChange): StoredVersion | undefined {
  const { stages, current, previous } = stored;
  if (previous?.isUsable !== true || goal.previous === previous.versionId) return undefined;
  if (isRevoked(stages, previous.versionId) || isUndone(stored)) return undefined;
  const isRevoking = goal.revoked !== undefined && goal.revoked === current?.versionId;
  return isRevoking && hasSamePrevious(stored) ? undefined : previous;
}

/** If the change removes previous keys that still verify callbacks, these would be rejected. */
async function usedObjections(
  target: Pick<Target, "clock" | "records" | "keys">,
  changes: readonly SecretChange[],
): Promise<string[]> {
  const change = changes.find(({ stored: { kind } }) => kind === "callback");
  const previous = change && removedBy(change);
  if (change === undefined || previous === undefined) return [];
  const read = await readVersionUse(target, [previous]);
  const use = await useOfKeys(target, change.stored, read, keptFirst(change));
  const then = "This change removes them, and callbacks that still use them are rejected.";
  if (use.problem !== undefined)
    return [
      `Whether the previous callback keys are still in use is not known. ${use.problem} ${then}`,
    ];
  const usedAt = use.lastUsedAt.get(previous.versionId);
  if (usedAt === undefined) return [];
  return [
    `The previous callback keys are still in use: they verified ${useText(previous.versionId, use)}, the last at ${wholeSeconds(usedAt)}. ${then}`,
  ];
}
