import type { KeyVersion } from "../envelope/open-callback.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import { inTime } from "../in-time.ts";
import type { SecretVersion } from "./keys-in-secret.ts";
import type { ReadSecret } from "./read-secret.ts";

export interface LoadedVersion<K> extends KeyVersion<K> {
  readonly endsAtMilliseconds: number;
}

export interface VersionSource<K> {
  readonly readSecret: ReadSecret;
  readonly parse: (secret: SecretVersion) => K;
  readonly now: () => number;
  /**
   * How long the previous version stays valid after the current one was created; 0 if it is never used. Set by the
   * config's `callbacks.previousKeysHours`; timing.ts has the default.
   */
  readonly previousLifetimeMilliseconds: number;
}

/** The usable versions of a secret. `problem` is set if the current version was fetched but is not valid. */
export interface LoadedSecret<K> {
  readonly versions: readonly LoadedVersion<K>[];
  /**
   * Whether a version that is not listed certainly does not exist. False if the previous version could not be fetched,
   * and at the first load: if the stages move between its two reads, it misses a version.
   */
  readonly isComplete: boolean;
  readonly problem?: unknown;
}

type Fetched = PromiseSettledResult<SecretVersion | undefined>;

/**
 * Reads both versions of a secret, and parses only those that are not `known`: parsing a key costs as much as several
 * verifications. Throws if the current version cannot be fetched. If it was fetched but is not valid, the older
 * versions stay in use until the previous version's lifetime ends, unless the stage AWSPREVIOUS was removed.
 */
export async function loadVersions<K>(
  secretId: string,
  known: readonly LoadedVersion<K>[],
  source: VersionSource<K>,
  signal: AbortSignal,
  onPreviousProblem: (error: unknown) => void,
): Promise<LoadedSecret<K>> {
  const readPrevious = async () =>
    source.previousLifetimeMilliseconds > 0
      ? await source.readSecret(secretId, "AWSPREVIOUS", signal)
      : undefined;
  const [current, firstPrevious] = await Promise.allSettled([
    source.readSecret(secretId, "AWSCURRENT", signal),
    readPrevious(),
  ]);
  if (current.status === "rejected") throw current.reason;
  if (current.value === undefined) throw keysUnset();
  const previous = isRotated(current.value, known) ? await settled(readPrevious()) : firstPrevious;
  const older = olderVersions(current.value, previous, known, source, onPreviousProblem);
  const isComplete = known.length > 0 && previous.status === "fulfilled";
  try {
    const { versionId } = current.value;
    const keys = parsedOnce(known, current.value, source);
    const newest = { versionId, stage: "current", keys, endsAtMilliseconds: Infinity } as const;
    return { versions: [newest, ...older.previous], isComplete };
  } catch (problem) {
    return { versions: [...older.previous, ...older.inUse], isComplete, problem };
  }
}

/** The stages may have moved between the two reads, so the previous version is read again after a rotation. */
function isRotated<K>({ versionId }: SecretVersion, known: readonly LoadedVersion<K>[]): boolean {
  return known.length > 0 && !known.some((version) => version.versionId === versionId);
}

async function settled<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([promise]);
  return result;
}

interface OlderVersions<K> {
  /** None or one. */
  readonly previous: readonly LoadedVersion<K>[];
  /** Other versions that this instance has used until now. */
  readonly inUse: readonly LoadedVersion<K>[];
}

function olderVersions<K>(
  current: SecretVersion,
  previous: Fetched,
  known: readonly LoadedVersion<K>[],
  source: VersionSource<K>,
  onProblem: (error: unknown) => void,
): OlderVersions<K> {
  const replacedAtMilliseconds = current.createdAtMilliseconds;
  const end = replacedAtMilliseconds + source.previousLifetimeMilliseconds;
  if (end <= source.now() || isRevoked(previous)) {
    return { previous: [], inUse: [] };
  }
  const others = known
    .filter(({ versionId }) => versionId !== current.versionId)
    .map((version) => {
      const endsAtMilliseconds = Math.min(version.endsAtMilliseconds, end);
      return asPrevious(version, { replacedAtMilliseconds, endsAtMilliseconds });
    });
  const times = { replacedAtMilliseconds, endsAtMilliseconds: end };
  const found = previousVersion(previous, others, times, source, onProblem);
  const [first] = found;
  return {
    previous: found,
    inUse: others.filter(({ versionId }) => versionId !== first?.versionId),
  };
}

/**
 * Each new value makes the version before it the previous one. If none has the stage AWSPREVIOUS, it was removed on
 * purpose: older versions must not verify any more, even if the current version is not valid.
 */
function isRevoked(previous: Fetched): boolean {
  return previous.status === "fulfilled" && previous.value === undefined;
}

/** If the previous version cannot be fetched, the one in use stays in use. */
function previousVersion<K>(
  previous: Fetched,
  others: readonly LoadedVersion<K>[],
  times: PreviousTimes,
  source: VersionSource<K>,
  onProblem: (error: unknown) => void,
): readonly LoadedVersion<K>[] {
  if (previous.status === "rejected") {
    onProblem(previous.reason);
    return others.slice(0, 1);
  }
  if (previous.value === undefined) return [];
  try {
    const keys = parsedOnce(others, previous.value, source);
    return [asPrevious({ versionId: previous.value.versionId, keys }, times)];
  } catch (error) {
    onProblem(error);
    return [];
  }
}

/** When the current version replaced the previous one, and until when the previous one verifies. */
interface PreviousTimes {
  readonly replacedAtMilliseconds: number;
  readonly endsAtMilliseconds: number;
}

function asPrevious<K>(
  { versionId, keys }: Pick<KeyVersion<K>, "versionId" | "keys">,
  times: PreviousTimes,
): LoadedVersion<K> {
  return { versionId, stage: "previous", keys, ...times };
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
  return new PaycastError("keys-unset", "The secret has no value yet.", {
    retryable: true,
  });
}

/** A running fetch of keys. It ends at its deadline even if the network never responds. */
export interface KeyFetch<T> {
  readonly startedAt: number;
  readonly result: Promise<T>;
}

export function startFetch<T>(
  startedAt: number,
  deadlineMilliseconds: number,
  load: (signal: AbortSignal) => Promise<T>,
): KeyFetch<T> {
  const tooLate = () => tooSlow(deadlineMilliseconds);
  return { startedAt, result: inTime(deadlineMilliseconds, tooLate, load) };
}

function tooSlow(deadlineMilliseconds: number): PaycastError {
  return new PaycastError(
    "keys-unreachable",
    `Secrets Manager did not respond within ${deadlineMilliseconds} ms.`,
    { retryable: true },
  );
}
