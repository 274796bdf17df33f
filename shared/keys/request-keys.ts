import type { SealingKeys } from "../envelope/seal-envelope.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import { createKeyRing, type KeyProblem } from "./key-ring.ts";
import { readRequestKeys } from "./keys-in-secret.ts";
import { createSecretReader, type ReadSecret } from "./read-secret.ts";

export interface RequestKeys {
  /** The keys that sign now. Throws like `KeyRing.keysFor`. */
  readonly keysFor: (merchantId: string) => Promise<SealingKeys>;
  /** As in `KeyRing`. */
  readonly doubt: (merchantId: string) => void;
}

/**
 * The keys that sign a merchant's requests: only the current version. They are cached like callback keys and keep
 * signing while Secrets Manager is down, but not after a newer version was fetched and found invalid.
 */
export function createRequestKeys(
  secretIds: Readonly<Record<string, string>>,
  now: () => number,
  onProblem: (problem: KeyProblem) => void,
  readSecret: ReadSecret = createSecretReader(),
): RequestKeys {
  const ring = createKeyRing({
    secretIds,
    readSecret,
    parse: readRequestKeys,
    now,
    previousLifetimeMilliseconds: 0,
    onProblem,
  });
  return {
    keysFor: async (merchantId) => {
      const [current] = await ring.keysFor(merchantId);
      if (current !== undefined) return current.keys;
      throw new PaycastError("keys-unset", "The secret has no value yet.");
    },
    doubt: ring.doubt,
  };
}
