import { wholeSeconds } from "../../../shared/text/number-text.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { readVersionUse, useText } from "../records/version-use.ts";
import { keysInvalid } from "../secrets/inspect-keys.ts";
import { compareKeys, hasSamePrevious } from "../secrets/key-doubts.ts";
import { isRevoked, isUndone } from "../secrets/stages.ts";
import { readVersion, type StoredVersion } from "../secrets/stored-keys.ts";
import type { Target } from "../target/target.ts";
import type { SecretChange } from "./decide-stages.ts";

/** Reasons not to store new keys. The operator can insist. */
export async function findObjections(
  target: Target,
  changes: readonly SecretChange[],
): Promise<string[]> {
  const found = await Promise.all([usedObjections(target, changes), revokedTexts(target, changes)]);
  return found.flat();
}

/** Keys that leaked are not replaced by others that leaked. Throws `keys-invalid`. */
export async function refuseRevoked(
  target: Target,
  changes: readonly SecretChange[],
): Promise<void> {
  const [text] = await revokedTexts(target, changes);
  if (text !== undefined) throw keysInvalid(text);
}

async function revokedTexts(target: Target, changes: readonly SecretChange[]): Promise<string[]> {
  return (await Promise.all(changes.map((change) => revokedText(target, change)))).flat();
}

/** Files of a revoked key look like any others. Versions whose value Secrets Manager has deleted are not recognised. */
async function revokedText(target: Target, { stored, added }: SecretChange): Promise<string[]> {
  if (added === undefined) return [];
  const { revoked } = stored.stages;
  const versions = await fewAtOnce(revoked, (versionId) => readVersion(target, stored, versionId));
  const same = versions.find(
    (version) => version?.keys !== undefined && compareKeys(version.keys, added.keys).areSameKeys,
  );
  if (same === undefined) return [];
  return [`The new ${stored.kind} keys are those of version ${same.versionId}, which was revoked.`];
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
async function usedObjections(target: Target, changes: readonly SecretChange[]): Promise<string[]> {
  const change = changes.find(({ stored: { kind } }) => kind === "callback");
  const previous = change && removedBy(change);
  if (previous === undefined) return [];
  const use = await readVersionUse(target, [previous]);
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
