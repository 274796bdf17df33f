import type { KeyVersion } from "../envelope/open-callback.ts";
import { PaycastError } from "../paycast-error.ts";
import { type KeyFlight, startFlight } from "./key-flight.ts";
import { type LoadedVersion, loadVersions, type VersionSource } from "./load-versions.ts";

const maximumAgeMilliseconds = 5 * 60_000;
const flightDeadlineMilliseconds = 1_500;
const forcedRefreshIntervalMilliseconds = 60_000;
const pauseAfterFailureMilliseconds = 30_000;
const pauseWithoutKeysMilliseconds = 2_000;

export interface KeyRingOptions<K> extends VersionSource<K> {
  /** Merchant id to secret id. An id that is not here never leads to a call. */
  readonly secretIds: Readonly<Record<string, string>>;
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
  /** The versions to try, current first. If there are none, throws `keys-unset`, `keys-invalid`, `profile-invalid` or `keys-unreachable`. */
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
  settled: Promise<void> | undefined;
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
    if (elapsed(slot.forcedAt, options.now()) < forcedRefreshIntervalMilliseconds) return false;
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
    settled: undefined,
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
  if (hasKeys && elapsed(slot.loadedAt, now) < maximumAgeMilliseconds) return false;
  const pause = hasKeys ? pauseAfterFailureMilliseconds : pauseWithoutKeysMilliseconds;
  return elapsed(slot.failedAt, now) >= pause;
}

/** A clock that was set back must not make keys look young until it has caught up. */
function elapsed(since: number, now: number): number {
  return Math.abs(now - since);
}

/** Joins the flight under way, unless it began before a freeze and counts as dead. Failures end in the slot. */
async function refresh<K>(slot: Slot<K>, merchantId: string, options: KeyRingOptions<K>) {
  const now = options.now();
  const { flight } = slot;
  if (flight === undefined || elapsed(flight.startedAt, now) >= flightDeadlineMilliseconds) {
    slot.flight = startFlight(now, flightDeadlineMilliseconds, (signal) =>
      loadVersions(options.secretIds[merchantId] ?? "", slot.versions, options, signal, (error) =>
        tell(options, merchantId, asKeyError(error), "previous-"),
      ),
    );
    slot.settled = settle(slot, slot.flight, merchantId, options);
  }
  await slot.settled;
}

/** Once per flight, however many wait for it. A flight that was overtaken brings nothing newer, nor its failure. */
async function settle<K>(
  slot: Slot<K>,
  flight: KeyFlight<readonly LoadedVersion<K>[]>,
  merchantId: string,
  options: KeyRingOptions<K>,
): Promise<void> {
  const [landed] = await Promise.allSettled([flight.landed]);
  if (slot.flight !== flight) return;
  slot.flight = undefined;
  if (landed.status === "fulfilled") {
    slot.versions = landed.value;
    slot.loadedAt = flight.startedAt;
    slot.failedAt = Number.NEGATIVE_INFINITY;
    slot.failure = undefined;
  } else {
    // After a freeze the timer fires late; the failure is as old as the deadline it missed.
    slot.failedAt = Math.min(options.now(), flight.startedAt + flightDeadlineMilliseconds);
    slot.failure = asKeyError(landed.reason);
    tell(options, merchantId, slot.failure);
  }
}

function tell<K>(options: KeyRingOptions<K>, merchantId: string, error: PaycastError, prefix = "") {
  options.onProblem?.({ merchantId, code: `${prefix}${error.code}`, message: error.message });
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
