import type { SealingKeys } from "../envelope/seal-envelope.ts";
import { PaycastError } from "../paycast-error.ts";
import { createKeyRing, type KeyProblem } from "./key-ring.ts";
import { readRequestKeys } from "./merchant-keys.ts";
import { createSecretReader, type ReadSecret } from "./read-secret.ts";

/**
 * The keys that sign a merchant's requests: the current version and no other. They are cached as callback keys are,
 * and go on signing while Secrets Manager is down, but not once a newer version was fetched that makes no sense.
 */
export function createRequestKeys(
  secretIds: Readonly<Record<string, string>>,
  now: () => number,
  onProblem: (problem: KeyProblem) => void,
  readSecret: ReadSecret = createSecretReader(),
): (merchantId: string) => Promise<SealingKeys> {
  const ring = createKeyRing({
    secretIds,
    readSecret,
    parse: readRequestKeys,
    now,
    previousLifetimeMilliseconds: 0,
    onProblem,
  });
  return async (merchantId) => {
    const [current] = await ring.keysFor(merchantId);
    if (current !== undefined) return current.keys;
    throw new PaycastError("keys-unset", "The merchant's secret has no value yet.");
  };
}
