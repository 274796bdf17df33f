import type { KeyVersion } from "../envelope/open-callback.ts";
import { PaycastError } from "../paycast-error.ts";
import { type KeyFlight, startFlight } from "./key-flight.ts";
import type { SecretVersion } from "./merchant-keys.ts";
import type { ReadSecret } from "./read-secret.ts";

const maximumAgeMilliseconds = 5 * 60_000;
const flightDeadlineMilliseconds = 1_500;
const forcedRefreshIntervalMilliseconds = 60_000;
const pauseAfterFailureMilliseconds = 30_000;
const pauseWithoutKeysMilliseconds = 2_000;

export interface KeyRingOptions<K> {
  /** Merchant id to secret id. An id that is not here never leads to a call. */
  readonly secretIds: Readonly<Record<string, string>>;
  readonly readSecret: ReadSecret;
  readonly parse: (secret: SecretVersion) => K;
  readonly now: () => number;
  /** How long the previous version stays good after the current one was made. */
  readonly previousLifetimeMilliseconds: number;
  /** Told of each refresh that failed; cached keys go on serving. */
  readonly onProblem?: (problem: KeyProblem) => void;
}

export interface KeyProblem {
  readonly merchantId: string;
  readonly code: string;
  readonly message: string;
}

export interface KeyRing<K> {
  readonly knows: (merchantId: string) => boolean;
  /** The versions to try, current first. Throws `keys-unset`, `keys-invalid` or `keys-unreachable` if there are none. */
  readonly keysFor: (merchantId: string) => Promise<readonly KeyVersion<K>[]>;
  /** After a refusal, whatever its cause: looks for newer keys, at most once a minute. True if it looked. */
  readonly refreshAfterRefusal: (merchantId: string) => Promise<boolean>;
  /** Loads all keys at start, so that the first request finds them. A failure here is met again at the request. */
  readonly prime: () => Promise<void>;
}

/** What one merchant's secret has given so far. Ages are by the caller's clock: nothing runs between requests. */
interface Slot<K> {
  versions: readonly LoadedVersion<K>[];
  loadedAt: number;
  failedAt: number;
  failure: PaycastError | undefined;
  forcedAt: number;
  flight: KeyFlight<readonly LoadedVersion<K>[]> | undefined;
}

interface LoadedVersion<K> extends KeyVersion<K> {
  readonly endsAtMilliseconds: number;
}

export function createKeyRing<K>(options: KeyRingOptions<K>): KeyRing<K> {
  const slots = new Map(Object.keys(options.secretIds).map((id) => [id, emptySlot<K>()]));

  async function keysFor(merchantId: string): Promise<readonly KeyVersion<K>[]> {
    const slot = slotOf(slots, merchantId);
    if (isDue(slot, options.now())) await refresh(slot, merchantId, options);
    if (slot.versions.length === 0) throw slot.failure ?? keysUnreachable();
    return slot.versions.filter((version) => version.endsAtMilliseconds > options.now());
  }

  async function refreshAfterRefusal(merchantId: string): Promise<boolean> {
    const slot = slotOf(slots, merchantId);
    if (options.now() - slot.forcedAt < forcedRefreshIntervalMilliseconds) return false;
    slot.forcedAt = options.now();
    await refresh(slot, merchantId, options);
    return true;
  }

  async function prime(): Promise<void> {
    await Promise.all([...slots].map(([id, slot]) => refresh(slot, id, options)));
  }

  return { knows: (merchantId) => slots.has(merchantId), keysFor, refreshAfterRefusal, prime };
}

function emptySlot<K>(): Slot<K> {
  return {
    versions: [],
    loadedAt: Number.NEGATIVE_INFINITY,
    failedAt: Number.NEGATIVE_INFINITY,
    failure: undefined,
    forcedAt: Number.NEGATIVE_INFINITY,
    flight: undefined,
  };
}

function slotOf<K>(slots: ReadonlyMap<string, Slot<K>>, merchantId: string): Slot<K> {
  const slot = slots.get(merchantId);
  if (slot === undefined)
    throw new PaycastError("unknown-merchant", "No such merchant is configured.");
  return slot;
}

/** Due by age. After a failure the next try waits, so an outage costs few requests their time. */
function isDue<K>(slot: Slot<K>, now: number): boolean {
  const hasKeys = slot.versions.length > 0;
  if (hasKeys && now - slot.loadedAt < maximumAgeMilliseconds) return false;
  const pause = hasKeys ? pauseAfterFailureMilliseconds : pauseWithoutKeysMilliseconds;
  return now - slot.failedAt >= pause;
}

/** Joins the flight under way, unless it began before a freeze and counts as dead. Failures end in the slot. */
async function refresh<K>(slot: Slot<K>, merchantId: string, options: KeyRingOptions<K>) {
  const now = options.now();
  if (slot.flight === undefined || now - slot.flight.startedAt >= flightDeadlineMilliseconds) {
    slot.flight = startFlight(now, flightDeadlineMilliseconds, (signal) =>
      loadVersions(slot, merchantId, options, signal),
    );
  }
  const { flight } = slot;
  try {
    land(slot, flight.startedAt, await flight.landed);
  } catch (error) {
    slot.failedAt = options.now();
    slot.failure = asKeyError(error);
    options.onProblem?.({ merchantId, code: slot.failure.code, message: slot.failure.message });
  } finally {
    if (slot.flight === flight) slot.flight = undefined;
  }
}

/** A flight that was overtaken by a later one brings nothing newer. */
function land<K>(slot: Slot<K>, startedAt: number, versions: readonly LoadedVersion<K>[]): void {
  if (startedAt < slot.loadedAt) return;
  slot.versions = versions;
  slot.loadedAt = startedAt;
  slot.failedAt = Number.NEGATIVE_INFINITY;
  slot.failure = undefined;
}

async function loadVersions<K>(
  slot: Slot<K>,
  merchantId: string,
  options: KeyRingOptions<K>,
  signal: AbortSignal,
): Promise<readonly LoadedVersion<K>[]> {
  const secretId = options.secretIds[merchantId] ?? "";
  const [current, previous] = await Promise.all([
    options.readSecret(secretId, "AWSCURRENT", signal),
    options.readSecret(secretId, "AWSPREVIOUS", signal),
  ]);
  if (current === undefined) {
    throw new PaycastError("keys-unset", "The merchant's secret has no value yet.", {
      retryable: true,
    });
  }
  const loaded: LoadedVersion<K>[] = [
    {
      versionId: current.versionId,
      stage: "current",
      keys: parsedOnce(slot, current, options),
      endsAtMilliseconds: Number.POSITIVE_INFINITY,
    },
  ];
  const endsAtMilliseconds = current.createdAtMilliseconds + options.previousLifetimeMilliseconds;
  if (previous === undefined || endsAtMilliseconds <= options.now()) return loaded;
  try {
    const keys = parsedOnce(slot, previous, options);
    return [
      ...loaded,
      { versionId: previous.versionId, stage: "previous", keys, endsAtMilliseconds },
    ];
  } catch (error) {
    const { code, message } = asKeyError(error);
    options.onProblem?.({ merchantId, code: `previous-${code}`, message });
    return loaded;
  }
}

/** Parsing a key costs as much as several verifications: once per version. */
function parsedOnce<K>(slot: Slot<K>, secret: SecretVersion, options: KeyRingOptions<K>): K {
  const known = slot.versions.find((version) => version.versionId === secret.versionId);
  return known?.keys ?? options.parse(secret);
}

function asKeyError(error: unknown): PaycastError {
  return error instanceof PaycastError ? error : keysUnreachable(error);
}

function keysUnreachable(cause?: unknown): PaycastError {
  return new PaycastError("keys-unreachable", "Secrets Manager did not give the keys.", {
    retryable: true,
    cause,
  });
}
