import type { KeyVersion } from "../envelope/open-callback.ts";
import { PaycastError } from "../paycast-error.ts";
import type { SecretVersion } from "./merchant-keys.ts";
import type { ReadSecret } from "./read-secret.ts";

export interface LoadedVersion<K> extends KeyVersion<K> {
  readonly endsAtMilliseconds: number;
}

export interface VersionSource<K> {
  readonly readSecret: ReadSecret;
  readonly parse: (secret: SecretVersion) => K;
  readonly now: () => number;
  /** How long the previous version stays good after the current one was made. */
  readonly previousLifetimeMilliseconds: number;
}

/**
 * Reads a secret's two versions, parsing only what is not `known` yet: parsing a key costs as much as
 * several verifications. Throws when the current one cannot be had; what is wrong with the previous one is
 * told, and holds nothing up.
 */
export async function loadVersions<K>(
  secretId: string,
  known: readonly LoadedVersion<K>[],
  source: VersionSource<K>,
  signal: AbortSignal,
  onPreviousProblem: (error: unknown) => void,
): Promise<readonly LoadedVersion<K>[]> {
  const [current, previous] = await Promise.allSettled([
    source.readSecret(secretId, "AWSCURRENT", signal),
    source.previousLifetimeMilliseconds > 0
      ? source.readSecret(secretId, "AWSPREVIOUS", signal)
      : undefined,
  ]);
  if (current.status === "rejected") throw current.reason;
  if (current.value === undefined) throw keysUnset();
  const { versionId, createdAtMilliseconds } = current.value;
  const keys = parsedOnce(known, current.value, source);
  const newer: LoadedVersion<K> = {
    versionId,
    stage: "current",
    keys,
    endsAtMilliseconds: Infinity,
  };
  const endsAtMilliseconds = createdAtMilliseconds + source.previousLifetimeMilliseconds;
  if (endsAtMilliseconds <= source.now()) return [newer];
  const older = olderVersion(previous, versionId, known, source, onPreviousProblem);
  return older === undefined
    ? [newer]
    : [newer, { ...older, stage: "previous", endsAtMilliseconds }];
}

/** Where the previous version cannot be read, the one that was in use until now still serves. */
function olderVersion<K>(
  previous: PromiseSettledResult<SecretVersion | undefined>,
  currentVersionId: string,
  known: readonly LoadedVersion<K>[],
  source: VersionSource<K>,
  onProblem: (error: unknown) => void,
): Pick<KeyVersion<K>, "versionId" | "keys"> | undefined {
  if (previous.status === "rejected") {
    onProblem(previous.reason);
    return known.find(({ versionId }) => versionId !== currentVersionId);
  }
  if (previous.value === undefined) return undefined;
  try {
    const keys = parsedOnce(known, previous.value, source);
    return { versionId: previous.value.versionId, keys };
  } catch (error) {
    onProblem(error);
    return undefined;
  }
}

function parsedOnce<K>(
  known: readonly LoadedVersion<K>[],
  secret: SecretVersion,
  source: VersionSource<K>,
): K {
  const version = known.find(({ versionId }) => versionId === secret.versionId);
  return version === undefined ? source.parse(secret) : version.keys;
}

function keysUnset(): PaycastError {
  return new PaycastError("keys-unset", "The merchant's secret has no value yet.", {
    retryable: true,
  });
}
