import type { SealingKeys } from "../envelope/seal-envelope.ts";
import { PaycastError } from "../paycast-error.ts";
import { createKeyRing, type KeyProblem } from "./key-ring.ts";
import { readRequestKeys } from "./merchant-keys.ts";
import { createSecretReader } from "./read-secret.ts";

/** The keys that sign a merchant's requests: always the current version, kept as the callback keys are. */
export function createRequestKeys(
  secretIds: Readonly<Record<string, string>>,
  now: () => number,
  onProblem: (problem: KeyProblem) => void,
): (merchantId: string) => Promise<SealingKeys> {
  const ring = createKeyRing({
    secretIds,
    readSecret: createSecretReader(),
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
