import type { KeyVersion } from "../envelope/open-callback.ts";
import type { KeyCode } from "../errors/error-codes.ts";
import { isKeyCode } from "../errors/key-codes.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import { keyFetchMilliseconds, keysKeptMilliseconds } from "../timing.ts";
import {
  type KeyFetch,
  type LoadedSecret,
  type LoadedVersion,
  loadVersions,
  startFetch,
  type VersionSource,
} from "./load-versions.ts";

const forcedRefreshIntervalMilliseconds = 60_000;
const pauseAfterFailureMilliseconds = 30_000;
const pauseWithoutKeysMilliseconds = 2_000;

export interface KeyRingOptions<K> extends VersionSource<K> {
  /** Secret id by merchant id. An unknown merchant id causes no call. */
  readonly secretIds: Readonly<Record<string, string>>;
  /** Called by each refresh that finds a problem, even while cached keys still serve. */
  readonly onProblem: (problem: KeyProblem) => void;
}

export interface KeyProblem {
  readonly merchantId: string;
  /**
   * The version with the problem. Without a valid current version, callbacks fail now or when the cached keys expire.
   */
  readonly stage: "current" | "previous";
  /** Whether keys that were fetched before still serve. */
  readonly isServed: boolean;
  /** Since when each fetch has found a problem. */
  readonly sinceMilliseconds: number;
  readonly code: KeyCode | `previous-${KeyCode}`;
  readonly message: string;
}

export interface KeyRing<K> {
  readonly knows: (merchantId: string) => boolean;
  /**
   * The versions to try, current first. If there are none, throws `keys-unset`, `keys-invalid`, `profile-invalid` or
   * `keys-unreachable`.
   */
  readonly keysFor: (merchantId: string) => Promise<readonly KeyVersion<K>[]>;
  /** Fetches the keys again after a refusal, at most once a minute. Returns whether it did. */
  readonly refreshAfterRefusal: (merchantId: string) => Promise<boolean>;
  /**
   * Call it if the keys may be wrong: the next use fetches them again, at most once a minute. Fetching at the next use
   * and not now also finds a correction that is made in between.
   */
  readonly doubt: (merchantId: string) => void;
  /** Loads keys during the cold start. If that fails, the first request tries again. */
  readonly prime: (merchantIds: readonly string[]) => Promise<void>;
  /** When the last complete fetch began (`LoadedSecret.isComplete`); -Infinity before the first one. */
  readonly knownAtMilliseconds: (merchantId: string) => number;
}

/** The state of one merchant's keys. Ages are checked at each request, because Lambda runs nothing between requests. */
interface Slot<K> {
  versions: readonly LoadedVersion<K>[];
  loadedAt: number;
  knownAt: number;
  failedAt: number;
  /** When the first fetch began that failed since the last good one. */
  failingSince: number | undefined;
  /** Why the last refresh found no valid current version. */
  failure: PaycastError | undefined;
  forcedAt: number;
  isDoubted: boolean;
  keyFetch: KeyFetch<LoadedSecret<K>> | undefined;
  settled: Promise<void> | undefined;
}

export function createKeyRing<K>(options: KeyRingOptions<K>): KeyRing<K> {
  const slots = new Map(Object.keys(options.secretIds).map((id) => [id, emptySlot<K>()]));

  async function keysFor(merchantId: string): Promise<readonly KeyVersion<K>[]> {
    const slot = slotOf(slots, merchantId);
    if (isDue(slot, options.now())) await refresh(slot, merchantId, options);
    else if (slot.isDoubted) await refreshAfterRefusal(merchantId);
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

  function doubt(merchantId: string): void {
    slotOf(slots, merchantId).isDoubted = true;
  }

  async function prime(merchantIds: readonly string[]): Promise<void> {
    await Promise.all(merchantIds.map((id) => refresh(slotOf(slots, id), id, options)));
  }

  return {
    knows: (merchantId) => slots.has(merchantId),
    keysFor,
    refreshAfterRefusal,
    doubt,
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
    failingSince: undefined,
    failure: undefined,
    forcedAt: Number.NEGATIVE_INFINITY,
    isDoubted: false,
    keyFetch: undefined,
    settled: undefined,
  };
}

function slotOf<K>(slots: ReadonlyMap<string, Slot<K>>, merchantId: string): Slot<K> {
  const slot = slots.get(merchantId);
  if (slot === undefined)
    throw new PaycastError("unknown-merchant", "No such merchant is configured.");
  return slot;
}

/** Previous keys are valid until their time ends (load-versions.ts). */
function goodVersions<K>(slot: Slot<K>, now: number): readonly LoadedVersion<K>[] {
  return slot.versions.filter((version) => version.endsAtMilliseconds > now);
}

/**
 * A refresh is due when the keys are old, and sooner after a failure. The pause after a failure keeps an outage of
 * Secrets Manager from delaying every request. Each refresh that fails reports the problem again.
 */
function isDue<K>(slot: Slot<K>, now: number): boolean {
  if (slot.failure === undefined) return elapsed(slot.loadedAt, now) >= keysKeptMilliseconds;
  const hasKeys = goodVersions(slot, now).length > 0;
  const pause = hasKeys ? pauseAfterFailureMilliseconds : pauseWithoutKeysMilliseconds;
  return elapsed(slot.failedAt, now) >= pause;
}

/** Absolute, so that the keys do not look younger if the clock is set back. */
function elapsed(since: number, now: number): number {
  return Math.abs(now - since);
}

/**
 * Waits for the running fetch, or starts one. A fetch that began before Lambda froze the process counts as failed.
 * Never throws: a failure is stored in the slot.
 */
async function refresh<K>(slot: Slot<K>, merchantId: string, options: KeyRingOptions<K>) {
  const now = options.now();
  const { keyFetch } = slot;
  if (keyFetch === undefined || elapsed(keyFetch.startedAt, now) >= keyFetchMilliseconds) {
    slot.isDoubted = false;
    slot.keyFetch = startFetch(now, keyFetchMilliseconds, (signal) =>
      loadVersions(options.secretIds[merchantId] ?? "", slot.versions, options, signal, (error) =>
        report(options, merchantId, { stage: "previous", isServed: true, since: now }, error),
      ),
    );
    slot.settled = settle(slot, slot.keyFetch, merchantId, options);
  }
  await slot.settled;
}

/** Runs once per fetch, for all callers that wait for it. A fetch that a newer one has replaced changes nothing. */
async function settle<K>(
  slot: Slot<K>,
  keyFetch: KeyFetch<LoadedSecret<K>>,
  merchantId: string,
  options: KeyRingOptions<K>,
): Promise<void> {
  const [fetched] = await Promise.allSettled([keyFetch.result]);
  if (slot.keyFetch !== keyFetch) return;
  slot.keyFetch = undefined;
  const isFetched = fetched.status === "fulfilled";
  const problem = isFetched ? fetched.value.problem : fetched.reason;
  if (isFetched) slot.versions = fetched.value.versions;
  if (isFetched && problem === undefined) {
    slot.loadedAt = keyFetch.startedAt;
    if (fetched.value.isComplete) slot.knownAt = keyFetch.startedAt;
    slot.failure = undefined;
    slot.failingSince = undefined;
    return;
  }
  // After a freeze the timer fires late, so the failure is dated to the deadline.
  slot.failedAt = Math.min(options.now(), keyFetch.startedAt + keyFetchMilliseconds);
  slot.failure = asKeyError(problem);
  slot.failingSince ??= keyFetch.startedAt;
  const isServed = goodVersions(slot, options.now()).length > 0;
  const found = { stage: "current", isServed, since: slot.failingSince } as const;
  report(options, merchantId, found, slot.failure);
}

interface FoundProblem extends Pick<KeyProblem, "stage" | "isServed"> {
  readonly since: number;
}

function report<K>(
  { onProblem }: KeyRingOptions<K>,
  merchantId: string,
  { stage, isServed, since }: FoundProblem,
  error: unknown,
): void {
  const { code: found, message } = asKeyError(error);
  const code = isKeyCode(found) ? found : "keys-unreachable";
  onProblem({
    merchantId,
    stage,
    isServed,
    sinceMilliseconds: since,
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
