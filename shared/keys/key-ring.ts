import type { KeyVersion } from "../envelope/open-callback.ts";
import { PaycastError } from "../paycast-error.ts";
import { keyFetchMilliseconds, keysKeptMilliseconds } from "../timing.ts";
import {
  type KeyFlight,
  type LoadedSecret,
  type LoadedVersion,
  loadVersions,
  startFlight,
  type VersionSource,
} from "./load-versions.ts";

const forcedRefreshIntervalMilliseconds = 60_000;
const pauseAfterFailureMilliseconds = 30_000;
const pauseWithoutKeysMilliseconds = 2_000;

export interface KeyRingOptions<K> extends VersionSource<K> {
  /** Secret id by merchant id. For an unknown merchant id no call is made. */
  readonly secretIds: Readonly<Record<string, string>>;
  /** Called by each refresh that finds a problem, even if callers do not notice because of cached keys. */
  readonly onProblem: (problem: KeyProblem) => void;
}

export interface KeyProblem {
  readonly merchantId: string;
  /** Which version has the problem. Without a valid current version the merchant has an outage now or soon. */
  readonly stage: "current" | "previous";
  readonly code: string;
  readonly message: string;
}

export interface KeyRing<K> {
  readonly knows: (merchantId: string) => boolean;
  /** The versions to try, current first. If there are none, throws `keys-unset`, `keys-invalid`, `profile-invalid` or `keys-unreachable`. */
  readonly keysFor: (merchantId: string) => Promise<readonly KeyVersion<K>[]>;
  /** After any refusal: fetches newer keys, at most once a minute. True if it fetched. */
  readonly refreshAfterRefusal: (merchantId: string) => Promise<boolean>;
  /** Loads these merchants' keys at start, so that the first request finds them. If it fails, that request tries again. */
  readonly prime: (merchantIds: readonly string[]) => Promise<void>;
  /** When the last fetch began that shows which versions exist; -Infinity before. */
  readonly knownAtMilliseconds: (merchantId: string) => number;
}

/** The state of one merchant's keys. Ages are checked when a request comes, because nothing runs between requests. */
interface Slot<K> {
  versions: readonly LoadedVersion<K>[];
  loadedAt: number;
  knownAt: number;
  failedAt: number;
  /** Why the last refresh gave no valid current version. */
  failure: PaycastError | undefined;
  forcedAt: number;
  flight: KeyFlight<LoadedSecret<K>> | undefined;
  settled: Promise<void> | undefined;
}

export function createKeyRing<K>(options: KeyRingOptions<K>): KeyRing<K> {
  const slots = new Map(Object.keys(options.secretIds).map((id) => [id, emptySlot<K>()]));

  async function keysFor(merchantId: string): Promise<readonly KeyVersion<K>[]> {
    const slot = slotOf(slots, merchantId);
    if (isDue(slot, options.now())) await refresh(slot, merchantId, options);
    const versions = goodVersions(slot, options.now());
    if (versions.length === 0) throw slot.failure ?? keysUnreachable();
    return versions;
  }

  async function refreshAfterRefusal(merchantId: string): Promise<boolean> {
    const slot = slotOf(slots, merchantId);
    if (elapsed(slot.forcedAt, options.now()) < forcedRefreshIntervalMilliseconds) return false;
    slot.forcedAt = options.now();
    await refresh(slot, merchantId, options);
    return true;
  }

  async function prime(merchantIds: readonly string[]): Promise<void> {
    await Promise.all(merchantIds.map((id) => refresh(slotOf(slots, id), id, options)));
  }

  return {
    knows: (merchantId) => slots.has(merchantId),
    keysFor,
    refreshAfterRefusal,
    prime,
    knownAtMilliseconds: (merchantId) => slotOf(slots, merchantId).knownAt,
  };
}

function emptySlot<K>(): Slot<K> {
  return {
    versions: [],
    loadedAt: Number.NEGATIVE_INFINITY,
    knownAt: Number.NEGATIVE_INFINITY,
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

/** Previous keys count until their time is over (load-versions.ts). */
function goodVersions<K>(slot: Slot<K>, now: number): readonly LoadedVersion<K>[] {
  return slot.versions.filter((version) => version.endsAtMilliseconds > now);
}

/**
 * A refresh is due when the keys are old, and sooner after a failure. After a failure there is a pause, so that an
 * outage delays few requests. After each pause a problem that still exists is reported again.
 */
function isDue<K>(slot: Slot<K>, now: number): boolean {
  if (slot.failure === undefined) return elapsed(slot.loadedAt, now) >= keysKeptMilliseconds;
  const hasKeys = goodVersions(slot, now).length > 0;
  const pause = hasKeys ? pauseAfterFailureMilliseconds : pauseWithoutKeysMilliseconds;
  return elapsed(slot.failedAt, now) >= pause;
}

/** If the clock was set back, the keys must not look younger than they are. */
function elapsed(since: number, now: number): number {
  return Math.abs(now - since);
}

/**
 * Waits for the running fetch, or starts one. A fetch that began before Lambda froze the process counts as failed. A
 * failure does not throw here: it is stored in the slot.
 */
async function refresh<K>(slot: Slot<K>, merchantId: string, options: KeyRingOptions<K>) {
  const now = options.now();
  const { flight } = slot;
  if (flight === undefined || elapsed(flight.startedAt, now) >= keyFetchMilliseconds) {
    slot.flight = startFlight(now, keyFetchMilliseconds, (signal) =>
      loadVersions(options.secretIds[merchantId] ?? "", slot.versions, options, signal, (error) =>
        report(options, merchantId, "previous", asKeyError(error)),
      ),
    );
    slot.settled = settle(slot, slot.flight, merchantId, options);
  }
  await slot.settled;
}

/** Runs once per fetch, for all callers that wait for it. If a newer fetch has started, this one changes nothing. */
async function settle<K>(
  slot: Slot<K>,
  flight: KeyFlight<LoadedSecret<K>>,
  merchantId: string,
  options: KeyRingOptions<K>,
): Promise<void> {
  const [landed] = await Promise.allSettled([flight.landed]);
  if (slot.flight !== flight) return;
  slot.flight = undefined;
  const isFetched = landed.status === "fulfilled";
  const problem = isFetched ? landed.value.problem : landed.reason;
  if (isFetched) slot.versions = landed.value.versions;
  if (isFetched && problem === undefined) {
    slot.loadedAt = flight.startedAt;
    if (landed.value.isComplete) slot.knownAt = flight.startedAt;
    slot.failure = undefined;
    return;
  }
  // After a freeze the timer fires late, so the failure gets the time of the deadline.
  slot.failedAt = Math.min(options.now(), flight.startedAt + keyFetchMilliseconds);
  slot.failure = asKeyError(problem);
  report(options, merchantId, "current", slot.failure);
}

function report<K>(
  { onProblem }: KeyRingOptions<K>,
  merchantId: string,
  stage: KeyProblem["stage"],
  { code, message }: PaycastError,
): void {
  onProblem({
    merchantId,
    stage,
    code: stage === "previous" ? `previous-${code}` : code,
    message,
  });
}

function asKeyError(error: unknown): PaycastError {
  return error instanceof PaycastError ? error : keysUnreachable(error);
}

function keysUnreachable(cause?: unknown): PaycastError {
  return new PaycastError("keys-unreachable", "The keys could not be read from Secrets Manager.", {
    retryable: true,
    cause,
  });
}
