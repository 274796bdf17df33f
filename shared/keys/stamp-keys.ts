import { Buffer } from "node:buffer";
import { createSecretKey, type KeyObject } from "node:crypto";
import type { KeyVersion } from "../envelope/open-callback.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import type { LogFields, Metrics, WriteLine } from "../telemetry/log-line.ts";
import { createKeyRing, type KeyProblem, type KeyRing } from "./key-ring.ts";
import type { SecretVersion } from "./keys-in-secret.ts";
import { countKeysProblem } from "./keys-line.ts";
import { createSecretReader, type ReadSecret } from "./read-secret.ts";

/** One version of the key that authenticates the stack's own inbox messages (inbox/stamp.ts). */
export type StampKey = KeyVersion<KeyObject>;

/** The stamp key for a function that sends to the inbox. */
export interface SenderKey {
  /** Throws `keys-unset`, `keys-invalid` or `keys-unreachable`. */
  readonly current: () => Promise<StampKey>;
  readonly prime: () => Promise<void>;
}

/** The stamp key for process-callback: the current version, and the previous one while the secret has it. */
export interface CheckingKeys {
  /** Throws like `SenderKey.current`. */
  readonly versions: () => Promise<readonly StampKey[]>;
  /** Fetches the key again, at most once a minute. Call it for an unknown version. */
  readonly refresh: () => Promise<void>;
  /** As in `KeyRing`. */
  readonly knownAtMilliseconds: () => number;
}

interface StampSource {
  readonly secretId: string;
  readonly now: () => number;
  readonly log: WriteLine;
  readonly readSecret?: ReadSecret;
}

/** The key ring has one slot per merchant. The stamp key belongs to no merchant, so it has a ring of its own. */
const slot = "stack";

export function createSenderKey(source: StampSource): SenderKey {
  const ring = createRing(source, 0);
  return {
    current: async () => {
      const [current] = await ring.keysFor(slot);
      if (current !== undefined) return current;
      throw new PaycastError("keys-unset", "The secret has no value yet.", { retryable: true });
    },
    prime: () => ring.prime([slot]),
  };
}

/**
 * A message may wait in the inbox for days, so the previous version has no time limit. After a leak it must be removed.
 */
export function createCheckingKeys(source: StampSource): CheckingKeys {
  const ring = createRing(source, Number.POSITIVE_INFINITY);
  return {
    versions: () => ring.keysFor(slot),
    refresh: async () => void (await ring.refreshAfterRefusal(slot)),
    knownAtMilliseconds: () => ring.knownAtMilliseconds(slot),
  };
}

function createRing(
  { secretId, now, log, readSecret = createSecretReader() }: StampSource,
  previousLifetimeMilliseconds: number,
): KeyRing<KeyObject> {
  return createKeyRing({
    secretIds: { [slot]: secretId },
    readSecret,
    parse: readStampKey,
    now,
    previousLifetimeMilliseconds,
    onProblem: (problem) => log(...describeStampProblem(problem, now())),
  });
}

/** 32 hexadecimal characters are 128 bits. The stack creates 64. */
const fewestCharacters = 32;

/** Throws `keys-invalid`. */
export function readStampKey({ text }: Pick<SecretVersion, "text">): KeyObject {
  if (text.length >= fewestCharacters) return createSecretKey(Buffer.from(text, "utf8"));
  throw new PaycastError(
    "keys-invalid",
    `The stamp key must have at least ${fewestCharacters} characters.`,
  );
}

/** Counted like a problem of a merchant's keys, but without a merchant. */
function describeStampProblem(
  problem: KeyProblem,
  nowMilliseconds: number,
): [fields: LogFields, metrics: Metrics] {
  const { code, message } = problem;
  const detail = `Stamp key: ${message}`;
  const fields: LogFields = { outcome: "keys-problem", stage: "keys", reason: code, detail };
  return [fields, countKeysProblem(problem, nowMilliseconds)];
}
