import { optionalRfc3339, toRfc3339 } from "../../../shared/time/timestamp.ts";
import { explainAwsError } from "../target/explain-error.ts";
import { findMerchant, type MerchantSecrets, type Target } from "../target/target.ts";
import { differencesOf, type KeyFacts, type SecretKind } from "./inspect-keys.ts";
import { type Proof, proveKeys } from "./prove-keys.ts";
import { readMerchantKeys, type StoredKeys, type VersionStage } from "./stored-keys.ts";
import {
  type Retirement,
  readVersionUse,
  retirementOf,
  retirementText,
  usualHours,
  type VersionUse,
} from "./version-use.ts";

export interface VersionReport {
  readonly stage: VersionStage;
  readonly versionId: string;
  readonly createdAt: string;
  /** Undefined if the version is broken. */
  readonly keys?: KeyFacts | undefined;
  readonly problem?: string | undefined;
  /** Until when a previous version verifies callbacks. */
  readonly verifiesUntil?: string | undefined;
  /** Of callback keys: when a callback was verified with it, if one was in the records that were read. */
  readonly lastUsedAt?: string | undefined;
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
  /** Which records were read to find out when a version was used. */
  readonly looked: Omit<VersionUse, "lastUsedAt">;
}

/**
 * Looks at each version of each secret as the functions would, tries its keys, and asks the service a question. Without
 * an id, for all merchants.
 */
export async function checkKeys(
  target: Target,
  merchantId?: string,
  hours = usualHours,
): Promise<KeysReport> {
  const merchants =
    merchantId === undefined ? target.merchants : [findMerchant(target, merchantId)];
  const use = await readVersionUse(target, { hours });
  const reports: MerchantReport[] = [];
  for (const merchant of merchants) reports.push(await reportOf(target, merchant, use));
  const { lastUsedAt: _lastUsedAt, ...looked } = use;
  return { merchants: reports, looked };
}

async function reportOf(
  target: Target,
  merchant: MerchantSecrets,
  use: VersionUse,
): Promise<MerchantReport> {
  const { stored, unread } = await readAllowed(target, merchant);
  const proof = await proofOf(target, stored);
  return {
    merchantId: merchant.merchantId,
    proof,
    secrets: [...stored.map((keys) => describeSecret(keys, use)), ...unread],
    problems: stored.flatMap((keys) => problemsOf(keys, target)),
    warnings: [...stored.flatMap(warningsOf), ...warningsOfBoth(stored)],
  };
}

/** Not everybody who looks after callbacks may see the key that signs orders. */
async function readAllowed(
  target: Target,
  merchant: MerchantSecrets,
): Promise<{ readonly stored: readonly StoredKeys[]; readonly unread: readonly SecretReport[] }> {
  const { merchantId, requestKeys: secretId } = merchant;
  try {
    return { stored: await readMerchantKeys(target, merchantId), unread: [] };
  } catch (error) {
    const explained = explainAwsError(error);
    if (explained?.code !== "aws-denied" || secretId === undefined) throw error;
    const stored = await readMerchantKeys(target, merchantId, ["callback"]);
    return {
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

function describeSecret(stored: StoredKeys, use: VersionUse): SecretReport {
  const { kind, secretId } = stored;
  const versions = (["current", "previous", "pending"] as const).flatMap((stage) => {
    const version = stored[stage];
    if (version === undefined) return [];
    const { versionId, createdAtMilliseconds, keys, problem, endsAt } = version;
    const retirement = stage === "previous" ? retirementOf(stored, use) : undefined;
    return [
      {
        stage,
        versionId,
        createdAt: toRfc3339(createdAtMilliseconds),
        keys: keys?.facts,
        problem,
        verifiesUntil: optionalRfc3339(endsAt),
        lastUsedAt: use.lastUsedAt.get(versionId),
        isUseUnknown: use.problem === undefined ? undefined : (true as const),
        retirement,
        note: retirement && retirementText(retirement, use),
      },
    ];
  });
  return { kind, secretId, versions };
}

function problemsOf({ kind, current }: StoredKeys, { gateway }: Target): string[] {
  if (current?.problem) return [`The current ${kind} keys are not valid. ${current.problem}`];
  if (current !== undefined || (kind === "request" && gateway === undefined)) return [];
  return [`The ${kind} keys are not set.`];
}

function warningsOf({ kind, current, previous, pending }: StoredKeys): string[] {
  const warnings: string[] = [];
  const { rsaBits = 2048 } = current?.keys?.facts ?? {};
  if (rsaBits < 2048) warnings.push(`The RSA key of the ${kind} keys has only ${rsaBits} bits.`);
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
