import { PaycastError } from "../../../shared/paycast-error.ts";
import { failedAfter } from "../described/describe.ts";
import type { Target } from "../target/target.ts";
import type { Goal, Stages } from "./decide-stages.ts";
import type { GoodKeys, SecretKind } from "./inspect-keys.ts";
import { reachGoal, type SecretCalls, type StoredKeys, secretCalls } from "./stored-keys.ts";

/** A version that is put in by a change. `text` and `keys` are never shown. */
export interface NewVersion {
  readonly versionId: string;
  readonly text: string;
  readonly keys: GoodKeys;
}

/** What happens to one secret. */
export interface SecretChange {
  readonly stored: StoredKeys;
  readonly goal: Goal;
  readonly added?: NewVersion | undefined;
}

/** `lost`: another command changed the secret first. `stages` are those of now. */
export interface Ended {
  readonly kind: SecretKind;
  readonly outcome: "done" | "lost";
  readonly stages: Stages;
}

/**
 * Makes the changes, the callback keys first, so that callbacks of orders made with new request keys are accepted. A new
 * version is put in as AWSPENDING and read back before it becomes current.
 */
export async function changeKeys(
  target: Target,
  act: string,
  changes: readonly SecretChange[],
  calls: SecretCalls = secretCalls(target.clients.secretsManager),
): Promise<Ended[]> {
  await target.audit(`keys-${act}`, auditOf(changes));
  const ends: Ended[] = [];
  for (const change of changes) {
    const { kind } = change.stored;
    const end = await changeSecret(calls, change).catch((error: unknown) => {
      const before = ends.map((earlier) => `The ${earlier.kind} keys are changed. `).join("");
      throw failedAfter(`${before}The ${kind} keys are not, or not wholly.`, error);
    });
    ends.push(end);
    if (end.outcome === "lost") break;
  }
  return ends;
}

function auditOf(changes: readonly SecretChange[]) {
  const known = (ids: readonly (string | undefined)[]) => ids.map((id) => id ?? "none");
  return {
    merchantId: changes[0]?.stored.merchantId ?? "none",
    secrets: changes.map(({ stored }) => stored.secretId),
    newVersions: known(changes.map(({ added }) => added?.versionId)),
    currentVersions: known(changes.map(({ stored }) => stored.stages.current)),
    previousVersions: known(changes.map(({ stored }) => stored.stages.previous)),
    currentThen: known(changes.map(({ goal }) => goal.current)),
    previousThen: known(changes.map(({ goal }) => goal.previous)),
    fingerprints: known(changes.map(({ added }) => added?.keys.facts.fingerprint)),
    aesFingerprints: known(changes.map(({ added }) => added?.keys.facts.aesFingerprint)),
  };
}

async function changeSecret(calls: SecretCalls, change: SecretChange): Promise<Ended> {
  const { kind, secretId } = change.stored;
  if (change.added !== undefined) await putAndReadBack(calls, change, change.added);
  const outcome = await reachGoal(calls, change.stored, change.goal);
  return { kind, outcome, stages: await calls.stagesOf(secretId) };
}

const longestStagedMilliseconds = 24 * 3_600_000;

/** The plan has tried these keys, so the same text is proof enough. */
async function putAndReadBack(
  calls: SecretCalls,
  { stored: { kind, secretId } }: SecretChange,
  { versionId, text }: NewVersion,
): Promise<void> {
  await calls.putPending(secretId, versionId, text);
  const put = await calls.read(secretId, versionId);
  const notCurrent = "They were not made current.";
  if (put?.text !== text) {
    const message = `Secrets Manager does not return the new ${kind} keys as they were put in. ${notCurrent}`;
    throw new PaycastError("aws-refused", message);
  }
  // The time of the previous keys counts from the creation of the current version. This computer may have slept.
  if (Date.now() - put.createdAtMilliseconds <= longestStagedMilliseconds) return;
  throw new PaycastError("aws-refused", `The new ${kind} keys are a day old. ${notCurrent}`);
}
