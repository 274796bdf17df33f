import { explainAwsError } from "../target/explain-aws-error.ts";
import type { MerchantSecrets, Target } from "../target/target.ts";
import { haveSameAesKey, haveSameProfile, type KeyFacts, type SecretKind } from "./inspect-keys.ts";
import { type Proof, proveKeys } from "./prove-keys.ts";
import { notesOf, type Retirement, type RetirementEvidence, retirementOf } from "./retirement.ts";
import { type SecretCalls, secretCalls, type VersionStage } from "./secret-calls.ts";
import {
  findMerchant,
  previousEndsAt,
  readMerchantKeys,
  type StoredKeys,
  type StoredVersion,
} from "./stored-keys.ts";
import { readVersionUse } from "./version-use.ts";

export interface VersionReport {
  readonly stage: VersionStage;
  readonly versionId: string;
  readonly createdAt: string;
  /** Undefined if the version is broken. */
  readonly keys?: KeyFacts;
  readonly problem?: string;
  /** Until when a previous version verifies callbacks. */
  readonly verifiesUntil?: string;
  /** Of callback keys: when a callback was verified with it, if one was in the records that were read. */
  readonly lastUsedAt?: string;
  /** Of previous callback keys. */
  readonly retirement?: Retirement;
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
  /** What an operator may do now. */
  readonly notes: readonly string[];
  /** Whether the service accepts the current request keys; undefined if there are none to try. */
  readonly proof?: Proof;
}

export interface KeysReport {
  readonly merchants: readonly MerchantReport[];
  /** Which records were read to find out when a version was used. */
  readonly looked: { readonly since: string; readonly callbacks: number };
}

export interface CheckKeys {
  /** All merchants, if it is left out. */
  readonly merchantId?: string | undefined;
  /** For how many hours the records are read. */
  readonly hours: number;
  readonly now?: () => number;
}

/** Looks at each version of each secret as the functions would, tries its keys, and asks the service a question. */
export async function checkKeys(target: Target, options: CheckKeys): Promise<KeysReport> {
  const { merchantId, hours, now = Date.now } = options;
  const merchants =
    merchantId === undefined ? target.merchants : [findMerchant(target, merchantId)];
  const calls = secretCalls(target.clients.secretsManager);
  const use = await readVersionUse(target, { hours, now });
  const reports: MerchantReport[] = [];
  for (const merchant of merchants) {
    reports.push(await reportOf(calls, merchant, { target, use, nowMilliseconds: now() }));
  }
  const { since, callbacks } = use;
  return { merchants: reports, looked: { since, callbacks } };
}

interface Context extends RetirementEvidence {
  readonly target: Target;
}

async function reportOf(
  calls: SecretCalls,
  merchant: MerchantSecrets,
  context: Context,
): Promise<MerchantReport> {
  const { stored, unread } = await readAllowed(calls, merchant);
  const proof = await proofOf(context.target, stored);
  return {
    merchantId: merchant.merchantId,
    ...(proof && { proof }),
    secrets: [...stored.map((keys) => describeSecret(keys, context)), ...unread],
    problems: stored.flatMap((keys) => problemsOf(keys, context)),
    warnings: [...stored.flatMap(warningsOf), ...differencesOf(stored)],
    notes: stored.flatMap((keys) => notesOf(retirementOf(keys, context), context)),
  };
}

/** Not everybody who looks after callbacks may see the key that signs orders. */
async function readAllowed(
  calls: SecretCalls,
  merchant: MerchantSecrets,
): Promise<{ readonly stored: readonly StoredKeys[]; readonly unread: readonly SecretReport[] }> {
  const { requestKeys: secretId } = merchant;
  try {
    return { stored: await readMerchantKeys(calls, merchant), unread: [] };
  } catch (error) {
    const explained = explainAwsError(error);
    if (explained?.code !== "aws-denied" || secretId === undefined) throw error;
    const stored = await readMerchantKeys(calls, merchant, ["callback"]);
    return {
      stored,
      unread: [{ kind: "request", secretId, versions: [], unread: explained.message }],
    };
  }
}

async function proofOf(target: Target, stored: readonly StoredKeys[]): Promise<Proof | undefined> {
  const request = stored.find(({ kind }) => kind === "request");
  if (request?.current?.inspection.kind !== "good") return undefined;
  return await proveKeys(target, request.merchantId, request.current);
}

function describeSecret(keys: StoredKeys, context: Context): SecretReport {
  const stages = ["current", "previous", "pending"] as const;
  const versions = stages.flatMap((stage) => {
    const version = keys[stage];
    return version === undefined ? [] : [describeVersion(keys, stage, version, context)];
  });
  return { kind: keys.kind, secretId: keys.secretId, versions };
}

function describeVersion(
  keys: StoredKeys,
  stage: VersionStage,
  { versionId, createdAtMilliseconds, inspection }: StoredVersion,
  context: Context,
): VersionReport {
  const { target, use } = context;
  const endsAt =
    stage === "previous" ? previousEndsAt(keys, target.previousKeysMilliseconds) : undefined;
  const lastUsedAt = use.lastUsedAt.get(versionId);
  const retirement = stage === "previous" ? retirementOf(keys, context) : undefined;
  return {
    stage,
    versionId,
    createdAt: new Date(createdAtMilliseconds).toISOString(),
    ...(inspection.kind === "good" ? { keys: inspection.facts } : { problem: inspection.message }),
    ...(endsAt !== undefined && { verifiesUntil: new Date(endsAt).toISOString() }),
    ...(lastUsedAt !== undefined && { lastUsedAt }),
    ...(retirement !== undefined && { retirement }),
  };
}

function problemsOf({ kind, current }: StoredKeys, { target }: Context): string[] {
  if (current?.inspection.kind === "broken") {
    return [`The current ${kind} keys are not valid. ${current.inspection.message}`];
  }
  if (current !== undefined || (kind === "request" && target.gateway === undefined)) return [];
  return [`The ${kind} keys are not set.`];
}

function warningsOf({ kind, current, previous, pending }: StoredKeys): string[] {
  const warnings: string[] = [];
  if (current?.inspection.kind === "good" && current.inspection.facts.rsaBits < 2048) {
    const { rsaBits } = current.inspection.facts;
    warnings.push(`The RSA key of the ${kind} keys has only ${rsaBits} bits.`);
  }
  if (kind === "callback" && previous?.inspection.kind === "broken") {
    const { message } = previous.inspection;
    warnings.push(`The previous callback keys are not valid and verify nothing. ${message}`);
  }
  if (pending !== undefined) {
    warnings.push(
      `New ${kind} keys were put in as AWSPENDING and never made current: a command was stopped, or another one runs now. The functions do not use them, and the next "keys set" replaces them.`,
    );
  }
  return warnings;
}

/** A merchant has one AES key and one profile. They are in both secrets. */
function differencesOf(stored: readonly StoredKeys[]): string[] {
  const good = stored.flatMap(({ current }) =>
    current?.inspection.kind === "good" ? [current.inspection.keys] : [],
  );
  const [callback, request] = good;
  if (callback === undefined || request === undefined) return [];
  const differing = [
    ...(haveSameAesKey(callback, request) ? [] : ["AES key"]),
    ...(haveSameProfile(callback, request) ? [] : ["wire profile"]),
  ];
  return differing.map((what) => `Callback keys and request keys have a different ${what}.`);
}
