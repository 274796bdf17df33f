import { randomUUID } from "node:crypto";
import type { SecretVersion } from "../../../shared/keys/keys-in-secret.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import type { AuditDetails } from "../audit/write-audit.ts";
import { failedAfter } from "../described/describe.ts";
import type { Target } from "../target/target.ts";
import { moveStages, movesFor } from "./move-stages.ts";
import type { KeysPlan, SecretChange } from "./plan-keys.ts";
import { type SecretCalls, type StageHolders, secretCalls } from "./stored-keys.ts";

/** `lost`: another command changed the secret first. `holders` tells which version has which stage now. */
export interface StoredChange {
  readonly kind: SecretChange["kind"];
  readonly versionId: string;
  readonly outcome: "stored" | "lost";
  readonly holders: StageHolders;
}

/** Stores what was planned, the callback keys first, so that callbacks of orders made with the new request keys are accepted. */
export async function storeKeys(
  target: Target,
  plan: KeysPlan,
  calls: SecretCalls = secretCalls(target.clients.secretsManager),
): Promise<StoredChange[]> {
  const audit = (changes: readonly SecretChange[]) =>
    target.audit(`keys-${plan.act}`, auditDetails({ ...plan, changes }));
  await audit(plan.changes);
  const done: StoredChange[] = [];
  for (const change of plan.changes) {
    const end = await storeChange(calls, change, audit).catch((error: unknown) => {
      const before = done.map(({ kind }) => `The ${kind} keys are stored. `).join("");
      throw failedAfter(`${before}The ${change.kind} keys are not, or not wholly.`, error);
    });
    done.push(end);
    if (end.outcome === "lost") break;
  }
  return done;
}

function auditDetails({ merchantId, changes }: KeysPlan): AuditDetails {
  const known = (ids: readonly (string | undefined)[]) => ids.map((id) => id ?? "none");
  return {
    merchantId,
    secrets: changes.map(({ secretId }) => secretId),
    ways: changes.map(({ way }) => way),
    newVersions: changes.map(({ versionId }) => versionId),
    currentVersions: known(changes.map(({ current }) => current)),
    previousVersions: known(changes.map(({ stored }) => stored.previous?.versionId)),
    fingerprints: changes.map(({ keys }) => keys.facts.fingerprint),
    aesFingerprints: changes.map(({ keys }) => keys.facts.aesFingerprint),
  };
}

type WriteAudit = (changes: readonly SecretChange[]) => Promise<void>;

/** The new version becomes current only after it was read back and tried. */
async function storeChange(
  calls: SecretCalls,
  planned: SecretChange,
  audit: WriteAudit,
): Promise<StoredChange> {
  const change = await stageVersion(calls, planned, audit);
  const { kind, secretId, versionId } = change;
  const isPlaced = await placeVersion(calls, change);
  await removePending(calls, change);
  const outcome = isPlaced ? "stored" : "lost";
  return { kind, versionId, outcome, holders: await calls.stagesOf(secretId) };
}

const longestStagedMilliseconds = 24 * 60 * 60_000;

/**
 * The time of the previous keys counts from the creation of the current version. A command that slept with its computer,
 * or a plan that is run again, may have staged its version long ago: then the same keys are written as a new version.
 */
async function stageVersion(
  calls: SecretCalls,
  change: SecretChange,
  audit: WriteAudit,
): Promise<SecretChange> {
  const { createdAtMilliseconds } = await putAndReadBack(calls, change);
  const isFresh = Date.now() - createdAtMilliseconds <= longestStagedMilliseconds;
  if (isFresh || change.way === "first") return change;
  const anew = { ...change, versionId: randomUUID() };
  await audit([anew]);
  await putAndReadBack(calls, anew);
  return anew;
}

/** The plan has tried these keys, so the same text is proof enough. */
async function putAndReadBack(calls: SecretCalls, change: SecretChange): Promise<SecretVersion> {
  const { kind, secretId, versionId, text } = change;
  await calls.putPending(secretId, versionId, text);
  const stored = await calls.read(secretId, versionId);
  if (stored?.text === text) return stored;
  throw new PaycastError(
    "aws-refused",
    `Secrets Manager does not give the new ${kind} keys back as they were put in. They were not made current.`,
  );
}

async function placeVersion(calls: SecretCalls, change: SecretChange): Promise<boolean> {
  if (change.way === "first") {
    // Secrets Manager makes the very first version of a secret current by itself.
    const { current } = await calls.stagesOf(change.secretId);
    if (current !== undefined) return current === change.versionId;
  }
  return await moveStages(calls, change.secretId, movesFor(change));
}

/** Only a label is left if this fails: "keys check" tells of it, and the next change replaces it. */
async function removePending(calls: SecretCalls, { secretId, versionId }: SecretChange) {
  const { pending } = await calls.stagesOf(secretId);
  if (pending !== versionId) return;
  await calls.move(secretId, { stage: "pending", from: versionId }).catch(() => undefined);
}
