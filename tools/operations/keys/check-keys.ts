import { optionalRfc3339, toRfc3339 } from "../../../shared/time/timestamp.ts";
import { type Proof, proveKeys } from "../calling/prove-keys.ts";
import { explainAwsError } from "../explain-error.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { findMerchant, type MerchantSecrets } from "../ports/stack.ts";
import type { Target } from "../ports/target.ts";
import { readVersionUse, type VersionUse } from "../records/version-use.ts";
import { type ExplainedRefusals, tryToExplain } from "../refusals/explain-refusals.ts";
import { judgePrevious, type PreviousUse, warnOfUse } from "../refusals/judge-previous.ts";
import type { KeyFacts, SecretKind } from "../secrets/inspect-keys.ts";
import {
  oldKeysText,
  oldKeysUntil,
  problemsOf,
  readMerchantKeys,
  type StoredKeys,
  type StoredVersion,
  warningsOf,
  warningsOfBoth,
} from "../secrets/stored-keys.ts";
import { useOfKeys } from "../secrets/use-of-keys.ts";

export interface VersionReport {
  readonly stage: "current" | "previous" | "pending";
  readonly versionId: string;
  readonly createdAt: string;
  /** Undefined if the version is broken. */
  readonly keys?: KeyFacts | undefined;
  readonly problem?: string | undefined;
  /** Until when a previous version verifies callbacks. */
  readonly verifiesUntil?: string | undefined;
  /** Of callback keys: when it last verified one of the callbacks that were read. */
  readonly lastUsedAt?: string | undefined;
  /** Of callback keys: how many of these callbacks it verified. */
  readonly timesUsed?: number | undefined;
  /** The records could not be read, so its last use is not known. */
  readonly isUseUnknown?: true | undefined;
  /** Of previous callback keys: whether they are still needed, and the same in words. */
  readonly retirement?: PreviousUse | undefined;
  readonly note?: string | undefined;
}

export interface SecretReport {
  readonly kind: SecretKind;
  readonly secretId: string;
  readonly versions: readonly VersionReport[];
  /** The ids of the versions that were revoked. */
  readonly revoked: readonly string[];
  /** In words: until when functions may use the keys of before the last change. */
  readonly oldKeysUntil?: string | undefined;
  /** Why its versions are missing: the operator may not read them. */
  readonly unread?: string;
}

export interface MerchantReport {
  readonly merchantId: string;
  readonly secrets: readonly SecretReport[];
  /** What keeps the functions from using the keys. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** Why callbacks are rejected, if some are. */
  readonly refusals?: ExplainedRefusals | undefined;
  /** Whether the service accepts the current request keys; undefined if there are none to try. */
  readonly proof?: Proof | undefined;
}

export interface KeysReport {
  readonly merchants: readonly MerchantReport[];
  /** The callbacks that were read to find out which version is used. */
  readonly looked: Pick<VersionUse, "callbacks" | "since"> & {
    readonly problem: string | undefined;
  };
}

/**
 * Parses each version of each secret as the functions do, tries its keys, and queries the service. Without an id, for
 * all merchants.
 */
export async function checkKeys(
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "keys" | "log" | "metrics">,
  merchantId?: string,
): Promise<KeysReport> {
  const merchants =
    merchantId === undefined ? target.stack.merchants : [findMerchant(target.stack, merchantId)];
  const read = await fewAtOnce(merchants, (merchant) => readAllowed(target, merchant), 4);
  const use = await readVersionUse(target, verifyingIn(read));
  const reports = await fewAtOnce(read, (keys) => reportOf(target, keys, use), 4);
  const { callbacks, since, problem } = use;
  return { merchants: reports, looked: { callbacks, since, problem } };
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
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "keys" | "log" | "metrics">,
  { merchantId, stored, unread }: AllowedKeys,
  read: VersionUse,
): Promise<MerchantReport> {
  const callback = stored.filter(({ kind }) => kind === "callback");
  const [keys] = callback;
  const use = keys === undefined ? read : await useOfKeys(target, keys, read);
  const [proof, refusals, secrets] = await Promise.all([
    proofOf(target, stored),
    tryToExplain(target, findMerchant(target.stack, merchantId), target.metrics.count),
    Promise.all(stored.map((keys) => describeSecret(target, keys, use))),
  ]);
  const isAll = refusals !== undefined && "kind" in refusals && refusals.kind === "all";
  const used = isAll
    ? []
    : await Promise.all(callback.map((keys) => useWarnings(target, keys, use)));
  return {
    merchantId,
    proof,
    refusals: refusals && "text" in refusals ? refusals : undefined,
    secrets: [...secrets, ...unread],
    problems: [
      ...stored.flatMap((keys) => problemsOf(keys, target.stack)),
      ...(isAll ? [`${refusals.text} ${refusals.action}`] : []),
    ],
    warnings: [
      ...stored.flatMap(warningsOf),
      ...used.flat(),
      ...warningsOfBoth(stored),
      ...(refusals && "problem" in refusals ? [refusals.problem] : []),
    ],
  };
}

async function useWarnings(
  target: Pick<Target, "stack" | "clock" | "keys">,
  keys: StoredKeys,
  use: VersionUse,
): Promise<string[]> {
  const found = await warnOfUse(target, keys, use);
  return found === undefined ? [] : [`${found.text} ${found.action}`];
}

/** Not every operator may see the key that signs orders. */
async function readAllowed(
  target: Pick<Target, "stack" | "clock" | "keys">,
  merchant: MerchantSecrets,
): Promise<AllowedKeys> {
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
      unread: [{ kind: "request", secretId, versions: [], revoked: [], unread: explained.message }],
    };
  }
}

async function proofOf(
  target: Pick<Target, "stack" | "clock" | "orders">,
  stored: readonly StoredKeys[],
): Promise<Proof | undefined> {
  const request = stored.find(({ kind }) => kind === "request");
  if (request?.current?.keys === undefined) return undefined;
  return await proveKeys(target, request.merchantId, request.current);
}

async function describeSecret(
  target: Pick<Target, "clock" | "keys">,
  stored: StoredKeys,
  use: VersionUse,
): Promise<SecretReport> {
  const { kind, secretId, stages } = stored;
  const now = target.clock.now();
  const versions = (["current", "previous", "pending"] as const).flatMap((stage) => {
    const version = stored[stage];
    if (version === undefined) return [];
    const { versionId, createdAtMilliseconds, keys, problem, endsAt } = version;
    const judged = stage === "previous" ? judgePrevious(stored, use, now) : undefined;
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
        retirement: judged?.kind,
        note: judged?.text,
      },
    ];
  });
  const end = await oldKeysUntil(target, stored);
  const text = end === undefined ? undefined : oldKeysText(end);
  return { kind, secretId, versions, revoked: stages.revoked, oldKeysUntil: text };
}

function usedBy(versionId: string, { lastUsedAt, timesUsed, problem }: VersionUse) {
  if (problem !== undefined) return {};
  return { lastUsedAt: lastUsedAt.get(versionId), timesUsed: timesUsed.get(versionId) ?? 0 };
}
