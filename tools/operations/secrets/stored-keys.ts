import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import type { SecretVersion } from "../../../shared/keys/keys-in-secret.ts";
import { wholeSeconds } from "../../../shared/text/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { keysKeptMilliseconds } from "../../../shared/timing.ts";
import { isAvailable } from "../ports/available.ts";
import type { DescribedStages, HeldVersion } from "../ports/keys.ts";
import { findMerchant, type Stack } from "../ports/stack.ts";
import type { Target } from "../ports/target.ts";
import { stackOption } from "../stack-option.ts";
import {
  type GoodKeys,
  type Inspection,
  inspectKeys,
  type SecretKind,
  secretKinds,
} from "./inspect-keys.ts";
import { differencesOf, doubtsOf } from "./key-doubts.ts";
import { isRevoked, isUndone, type KnownStages } from "./stages.ts";

/** One version of a secret that has a stage. */
export type StoredVersion = SecretVersion &
  Inspection & {
    /** Until when previous callback keys verify. The functions never use previous request keys. */
    readonly endsAt?: number;
    readonly isUsable: boolean;
  };

/** A secret of a merchant, with the versions that have a stage. */
export interface StoredKeys extends KnownStages {
  readonly kind: SecretKind;
  readonly merchantId: string;
  readonly secretId: string;
  readonly stages: DescribedStages;
  readonly current?: StoredVersion | undefined;
  readonly previous?: StoredVersion | undefined;
  /** Undefined if the pending version is the current one. */
  readonly pending?: StoredVersion | undefined;
}

/** A version that is put in by a change. `text` and `keys` are never shown. */
export interface NewVersion {
  readonly versionId: string;
  readonly text: string;
  readonly keys: GoodKeys;
}

export const merchantField = z.string().min(1).max(100).meta({
  description: "the merchant's id",
  placeholder: "MERCHANT",
});

/** The secrets of these kinds that the stack has. No other secret is read: not every operator may read both. */
export async function readMerchantKeys(
  target: Pick<Target, "stack" | "clock" | "keys">,
  merchantId: string,
  kinds: readonly SecretKind[] = secretKinds,
): Promise<StoredKeys[]> {
  const { callbackKeys, requestKeys } = findMerchant(target.stack, merchantId);
  const ids = { callback: callbackKeys, request: requestKeys };
  const known = kinds.flatMap((kind) => {
    const secretId = ids[kind];
    return secretId === undefined ? [] : [{ kind, merchantId, secretId }];
  });
  return await Promise.all(known.map((secret) => readStoredKeys(target, secret)));
}

async function readStoredKeys(
  target: Pick<Target, "clock" | "keys">,
  secret: Pick<StoredKeys, "kind" | "merchantId" | "secretId">,
): Promise<StoredKeys> {
  const stages = await target.keys.stagesOf(secret.secretId);
  const read = async (versionId: string | undefined) =>
    versionId === undefined ? undefined : await readVersion(target, secret, versionId);
  const [current, previous, pending] = await Promise.all([
    read(stages.current),
    read(stages.previous),
    read(stages.pending === stages.current ? undefined : stages.pending),
  ]);
  const known = { ...secret, stages, current, previous, pending };
  if (secret.kind === "request" || !current || !previous) return known;
  const endsAt = current.createdAtMilliseconds + target.keys.previousKeysMilliseconds;
  const isUsable = previous.isUsable && endsAt > target.clock.now();
  return { ...known, previous: { ...previous, endsAt, isUsable } };
}

/** Undefined if it has no value. */
export async function readVersion(
  target: Pick<Target, "keys">,
  { kind, merchantId, secretId }: Pick<StoredKeys, "kind" | "merchantId" | "secretId">,
  versionId: string,
): Promise<StoredVersion | undefined> {
  const version = await target.keys.read(secretId, versionId);
  if (version === undefined) return undefined;
  const inspected = inspectKeys(kind, merchantId, version.text);
  return { ...version, ...inspected, isUsable: inspected.keys !== undefined };
}

/** The versions without a stage of the functions that Secrets Manager still holds, newest first. */
export async function othersOf(
  target: Pick<Target, "keys">,
  { secretId, stages }: StoredKeys,
): Promise<HeldVersion[]> {
  const { current, previous, pending } = stages;
  const held = await target.keys.list(secretId);
  return held.filter(({ versionId }) => ![current, previous, pending].includes(versionId));
}

const shortestPrefix = 4;

/** The one version, of these secrets, whose id begins so. Throws `not-found`, or `wrong-usage` if several do. */
export async function findVersion(
  target: Pick<Target, "stack" | "keys">,
  stored: readonly StoredKeys[],
  prefix: string,
): Promise<HeldVersion & { readonly keys: StoredKeys }> {
  const lists = stored.map(async (keys) => {
    const held = await target.keys.list(keys.secretId);
    return held.map((version) => ({ ...version, keys }));
  });
  const all = (await Promise.all(lists)).flat();
  const isLong = prefix.length >= shortestPrefix;
  const [found, second] = all.filter(({ versionId }) => isLong && versionId.startsWith(prefix));
  if (found === undefined) throw new PaycastError("not-found", noSuchVersion(target));
  if (second === undefined) return found;
  throw new PaycastError("wrong-usage", "Several versions begin with this. Give more characters.");
}

function noSuchVersion(target: Pick<Target, "stack">): string {
  return `Secrets Manager holds no such version of this merchant's keys, so no function uses it. List the versions: npx paycast keys check${stackOption(target.stack)}`;
}

/** Until when functions may use keys of before the last change; undefined if that is over, or if there were none. */
export async function oldKeysUntil(
  target: Pick<Target, "clock" | "keys">,
  { secretId, stages }: StoredKeys,
): Promise<number | undefined> {
  const until = stages.changedAtMilliseconds + keysKeptMilliseconds;
  if (until <= target.clock.now()) return undefined;
  const isFirst = stages.previous === undefined && (await isOnlyVersion(target, secretId));
  return isFirst ? undefined : until;
}

async function isOnlyVersion(target: Pick<Target, "keys">, secretId: string): Promise<boolean> {
  return (await target.keys.list(secretId)).length === 1;
}

export function oldKeysText(untilMilliseconds: number): string {
  return `Functions may use the old keys until ${wholeSeconds(toRfc3339(untilMilliseconds))}.`;
}

/** What keeps the functions from using the keys. */
export function problemsOf({ kind, current }: StoredKeys, { gateway }: Stack): string[] {
  if (current?.problem) return [`The current ${kind} keys are not valid. ${current.problem}`];
  if (current !== undefined || (kind === "request" && !isAvailable(gateway))) return [];
  return [`The ${kind} keys are not set.`];
}

export function warningsOf({ kind, stages, current, previous, pending }: StoredKeys): string[] {
  const warnings = current?.keys === undefined ? [] : doubtsOf(current.keys, `${kind} keys`);
  if (isRevoked(stages, stages.current)) {
    warnings.push(
      `The current ${kind} keys were revoked, and are still in use. Replace them: "keys revoke --current" with the files of new keys.`,
    );
  }
  if (isRevoked(stages, stages.previous)) {
    warnings.push(
      `The previous ${kind} keys were revoked, and still have their stage: a command was stopped. Run "keys revoke --previous".`,
    );
  } else if (isUndone({ current, previous })) {
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

export function warningsOfBoth(stored: readonly StoredKeys[]): string[] {
  const [callback, request] = stored.map(({ current }) => current?.keys);
  return callback && request ? differencesOf(callback, request) : [];
}
