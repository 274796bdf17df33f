import { PaycastError } from "../../shared/paycast-error.ts";
import type { Target } from "../target/target.ts";
import type { SecretKind } from "./inspect-keys.ts";
import { type SecretCalls, type StageHolders, secretCalls } from "./secret-calls.ts";
import { moveStage } from "./stage-moves.ts";
import { findMerchant, readMerchantKeys, type StoredKeys } from "./stored-keys.ts";
import { readVersionUse } from "./version-use.ts";

/** A version that loses its stage, so that no function finds it any more. */
interface Revocation {
  readonly kind: SecretKind;
  readonly secretId: string;
  readonly versionId: string;
  readonly stage: "previous" | "pending";
  /** Undefined if its keys are not valid. */
  readonly fingerprint: string | undefined;
  readonly lastUsedAt: string | undefined;
}

export interface RevokePlan {
  readonly merchantId: string;
  readonly revocations: readonly Revocation[];
  /** The records from this time on were read to find out about their use. */
  readonly lookedSince: string;
}

/** The previous versions of both secrets, or one version by its id. */
export type RevokeChoice = { readonly previous: true } | { readonly versionId: string };

/** For how long back a version counts as in use. */
const useHours = 24;

/** Throws `not-found` if there is no such version, and `keys-current` for the version that is current. */
export async function planRevoke(
  target: Target,
  merchantId: string,
  choice: RevokeChoice,
  now: () => number = Date.now,
): Promise<RevokePlan> {
  const calls = secretCalls(target.clients.secretsManager);
  const stored = await readMerchantKeys(calls, findMerchant(target, merchantId));
  const found = stored.flatMap((keys) => revocationsIn(keys, choice));
  if (found.length === 0) throw noneFound(choice);
  const { lastUsedAt, since } = await readVersionUse(target, { hours: useHours, now });
  const revocations = found.map((one) => ({ ...one, lastUsedAt: lastUsedAt.get(one.versionId) }));
  return { merchantId, revocations, lookedSince: since };
}

/** `lost`: another command moved the stage first. */
export interface Revoked {
  readonly kind: SecretKind;
  readonly versionId: string;
  readonly outcome: "revoked" | "lost";
  readonly holders: StageHolders;
}

export async function revokeKeys(
  target: Target,
  { merchantId, revocations }: RevokePlan,
  calls: SecretCalls = secretCalls(target.clients.secretsManager),
): Promise<Revoked[]> {
  await target.audit("keys-revoke", {
    merchantId,
    secrets: revocations.map(({ secretId }) => secretId),
    versions: revocations.map(({ versionId }) => versionId),
    stages: revocations.map(({ stage }) => stage),
    fingerprints: revocations.map(({ fingerprint }) => fingerprint ?? "none"),
  });
  const done: Revoked[] = [];
  for (const { kind, secretId, versionId, stage } of revocations) {
    const isRevoked = await moveStage(calls, secretId, { stage, from: versionId });
    const holders = await calls.stagesOf(secretId);
    done.push({ kind, versionId, outcome: isRevoked ? "revoked" : "lost", holders });
  }
  return done;
}

type Found = Omit<Revocation, "lastUsedAt">;

function revocationsIn(keys: StoredKeys, choice: RevokeChoice): Found[] {
  const { kind, secretId, current } = keys;
  if ("versionId" in choice && choice.versionId === current?.versionId) throw isCurrent(kind);
  return (["previous", "pending"] as const).flatMap((stage) => {
    const version = keys[stage];
    if (version === undefined) return [];
    const isChosen =
      "versionId" in choice ? version.versionId === choice.versionId : stage === "previous";
    const { versionId, inspection } = version;
    const fingerprint = inspection.kind === "good" ? inspection.facts.fingerprint : undefined;
    return isChosen ? [{ kind, secretId, versionId, stage, fingerprint }] : [];
  });
}

function isCurrent(kind: SecretKind): PaycastError {
  return new PaycastError(
    "keys-current",
    `This is the current version of the ${kind} keys. It can only be replaced: "keys revoke --current" with the files of the new keys.`,
  );
}

function noneFound(choice: RevokeChoice): PaycastError {
  const message =
    "versionId" in choice
      ? "No secret of this merchant has this version under a stage, so no function uses it. The versions there are: npx paycast keys check."
      : "No secret of this merchant has a previous version, so there is nothing to revoke.";
  return new PaycastError("not-found", message);
}
