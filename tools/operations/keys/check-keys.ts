import { optionalRfc3339, toRfc3339 } from "../../../shared/time/timestamp.ts";
import { type Proof, proveKeys } from "../calling/prove-keys.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { readVersionUse, useText, type VersionUse } from "../records/version-use.ts";
import { explainAwsError } from "../target/explain-error.ts";
import { findMerchant, type MerchantSecrets, type Target } from "../target/target.ts";
import { isUndone, type Stage } from "./decide-stages.ts";
import { differencesOf, doubtsOf, type KeyFacts, type SecretKind } from "./inspect-keys.ts";
import { readMerchantKeys, type StoredKeys, type StoredVersion } from "./stored-keys.ts";

export interface VersionReport {
  readonly stage: Stage;
  readonly versionId: string;
  readonly createdAt: string;
  /** Undefined if the version is broken. */
  readonly keys?: KeyFacts | undefined;
  readonly problem?: string | undefined;
  /** Until when a previous version verifies callbacks. */
  readonly verifiesUntil?: string | undefined;
  /** Of callback keys: when it verified the last of the callbacks that were looked at. */
  readonly lastUsedAt?: string | undefined;
  /** Of callback keys: how many of these callbacks it verified. */
  readonly timesUsed?: number | undefined;
  /** The records could not be read, so nobody knows when it was used. */
  readonly isUseUnknown?: true | undefined;
  /** Of previous callback keys: whether they are still needed, and the same in words. */
  readonly retirement?: Retirement | undefined;
  readonly note?: string | undefined;
}

export interface SecretReport {
  readonly kind: SecretKind;
  readonly secretId: string;
  readonly versions: readonly VersionReport[];
  /** Why its versions are not told: the operator may not read them. */
  readonly unread?: string;
}

export interface MerchantReport {
  readonly merchantId: string;
  readonly secrets: readonly SecretReport[];
  /** What keeps the functions from using the keys. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** Whether the service accepts the current request keys; undefined if there are none to try. */
  readonly proof?: Proof | undefined;
}

export interface KeysReport {
  readonly merchants: readonly MerchantReport[];
  /** The callbacks that were looked at to find out which version is used. */
  readonly looked: Pick<VersionUse, "callbacks" | "since" | "problem">;
}

/**
 * Looks at each version of each secret as the functions would, tries its keys, and asks the service a question. Without
 * an id, for all merchants.
 */
export async function checkKeys(target: Target, merchantId?: string): Promise<KeysReport> {
  const merchants =
    merchantId === undefined ? target.merchants : [findMerchant(target, merchantId)];
  const read = await fewAtOnce(merchants, (merchant) => readAllowed(target, merchant), 4);
  const { lastUsedAt, timesUsed, ...looked } = await readVersionUse(target, verifyingIn(read));
  const use = { lastUsedAt, timesUsed, ...looked };
  const reports = await fewAtOnce(read, (keys) => reportOf(target, keys, use), 4);
  return { merchants: reports, looked };
}

interface AllowedKeys {
  readonly merchantId: string;
  readonly stored: readonly StoredKeys[];
  readonly unread: readonly SecretReport[];
}

/** The versions that verify callbacks now. */
function verifyingIn(read: readonly AllowedKeys[]): StoredVersion[] {
  const callback = read.flatMap(({ stored }) => stored.filter(({ kind }) => kind === "callback"));
  const versions = callback.flatMap(({ current, previous }) => [current ?? [], previous ?? []]);
  return versions.flat().filter(({ isUsable }) => isUsable);
}

async function reportOf(
  target: Target,
  { merchantId, stored, unread }: AllowedKeys,
  use: VersionUse,
): Promise<MerchantReport> {
  return {
    merchantId,
    proof: await proofOf(target, stored),
    secrets: [...stored.map((keys) => describeSecret(keys, use, target.now())), ...unread],
    problems: stored.flatMap((keys) => problemsOf(keys, target)),
    warnings: [...stored.flatMap(warningsOf), ...warningsOfBoth(stored)],
  };
}

/** Not everybody who looks after callbacks may see the key that signs orders. */
async function readAllowed(target: Target, merchant: MerchantSecrets): Promise<AllowedKeys> {
  const { merchantId, requestKeys: secretId } = merchant;
  try {
    return { merchantId, stored: await readMerchantKeys(target, merchantId), unread: [] };
  } catch (error) {
    const explained = explainAwsError(error);
    if (explained?.code !== "aws-denied" || secretId === undefined) throw error;
    const stored = await readMerchantKeys(target, merchantId, ["callback"]);
    return {
      merchantId,
      stored,
      unread: [{ kind: "request", secretId, versions: [], unread: explained.message }],
    };
  }
}

async function proofOf(target: Target, stored: readonly StoredKeys[]): Promise<Proof | undefined> {
  const request = stored.find(({ kind }) => kind === "request");
  if (request?.current?.keys === undefined) return undefined;
  return await proveKeys(target, request.merchantId, request.current);
}

function describeSecret(stored: StoredKeys, use: VersionUse, now: number): SecretReport {
  const { kind, secretId } = stored;
  const versions = (["current", "previous", "pending"] as const).flatMap((stage) => {
    const version = stored[stage];
    if (version === undefined) return [];
    const { versionId, createdAtMilliseconds, keys, problem, endsAt } = version;
    const retirement = stage === "previous" ? retirementOf(stored, use, now) : undefined;
    return [
      {
        stage,
        versionId,
        createdAt: toRfc3339(createdAtMilliseconds),
        keys: keys?.facts,
        problem,
        verifiesUntil: optionalRfc3339(endsAt),
        ...(kind === "callback" && usedBy(versionId, use)),
        isUseUnknown: use.problem === undefined ? undefined : (true as const),
        retirement,
        note: retirement && retirements[retirement](useText(versionId, use)),
      },
    ];
  });
  return { kind, secretId, versions };
}

function usedBy(versionId: string, { lastUsedAt, timesUsed, problem }: VersionUse) {
  if (problem !== undefined) return {};
  return { lastUsedAt: lastUsedAt.get(versionId), timesUsed: timesUsed.get(versionId) ?? 0 };
}

/** Whether the previous callback keys are still needed, as far as the last callbacks show it. */
const retirements = {
  over: () => "The previous callback keys verify no more: their time is over.",
  "in-use": (used: string) => `The previous callback keys are still in use: they verified ${used}.`,
  safe: (used: string) =>
    `The previous callback keys verified ${used}. They can go ("keys revoke --previous").`,
  unknown: () =>
    "No callback of this merchant is among the last ones: whether the service still uses the previous callback keys is not known.",
};
type Retirement = keyof typeof retirements;

/** Undefined if there are no previous keys, if they verify nothing anyway, or if the records cannot be read. */
function retirementOf(
  { current, previous }: StoredKeys,
  use: VersionUse,
  now: number,
): Retirement | undefined {
  if (current === undefined || previous?.endsAt === undefined) return undefined;
  if (previous.endsAt <= now) return "over";
  if (use.problem !== undefined) return undefined;
  if (use.lastUsedAt.has(previous.versionId)) return "in-use";
  return use.lastUsedAt.has(current.versionId) ? "safe" : "unknown";
}

function problemsOf({ kind, current }: StoredKeys, { gateway }: Target): string[] {
  if (current?.problem) return [`The current ${kind} keys are not valid. ${current.problem}`];
  if (current !== undefined || (kind === "request" && gateway === undefined)) return [];
  return [`The ${kind} keys are not set.`];
}

function warningsOf({ kind, current, previous, pending }: StoredKeys): string[] {
  const warnings = current?.keys === undefined ? [] : doubtsOf(current.keys, `${kind} keys`);
  if (isUndone({ current, previous })) {
    warnings.push(
      `The previous ${kind} keys are newer than the current ones: a command was stopped before it took them out. Run "keys revoke --previous".`,
    );
  }
  if (kind === "callback" && previous?.problem) {
    warnings.push(
      `The previous callback keys are not valid and verify nothing. ${previous.problem}`,
    );
  }
  if (pending !== undefined) {
    warnings.push(
      `New ${kind} keys were put in as AWSPENDING and never made current: a command was stopped, or another one runs now. The functions do not use them, and the next "keys set" replaces them.`,
    );
  }
  return warnings;
}

function warningsOfBoth(stored: readonly StoredKeys[]): string[] {
  const [callback, request] = stored.map(({ current }) => current?.keys);
  return callback && request ? differencesOf(callback, request) : [];
}
