import { vi } from "vitest";
import { createKeyRing, type KeyProblem } from "../../shared/keys/key-ring.ts";
import type { SecretVersion } from "../../shared/keys/merchant-keys.ts";
import type { ReadSecret } from "../../shared/keys/read-secret.ts";
import { PaycastError } from "../../shared/paycast-error.ts";

type Stages = { AWSCURRENT?: SecretVersion; AWSPREVIOUS?: SecretVersion };

export const minute = 60_000;
export const day = 24 * 60 * minute;
export const startOfTime = Date.UTC(2026, 10, 15);

/** A version as Secrets Manager gives it; its text stands for the keys, and "broken" for keys that do not parse. */
export function secretVersion(
  versionId: string,
  changes: Partial<SecretVersion> = {},
): SecretVersion {
  return {
    versionId,
    createdAtMilliseconds: startOfTime,
    text: `keys of ${versionId}`,
    ...changes,
  };
}

/**
 * A key ring on a clock that stands still until it is moved, over secrets held in memory. Use with vitest's
 * fake timers: `advance` moves clock and timers, `freeze` the clock alone, as when Lambda stops the process.
 */
export function makeKeyRing(options: { merchants?: string[]; previousLifetime?: number } = {}) {
  const merchants = options.merchants ?? ["merchant"];
  const clock = { now: startOfTime };
  const secrets: Record<string, Stages> = {};
  const problems: KeyProblem[] = [];
  const readSecret = vi.fn<ReadSecret>(async (id, stage) => secrets[id]?.[stage]);
  const parse = vi.fn((secret: SecretVersion) => {
    if (secret.text === "broken")
      throw new PaycastError("keys-invalid", "aesKey must be a string.");
    return secret.text;
  });
  const ring = createKeyRing({
    secretIds: Object.fromEntries(merchants.map((id) => [id, `secret of ${id}`])),
    readSecret,
    parse,
    now: () => clock.now,
    previousLifetimeMilliseconds: options.previousLifetime ?? 8 * day,
    onProblem: (problem) => problems.push(problem),
  });
  return {
    ring,
    readSecret,
    parse,
    problems,
    put: (current?: SecretVersion, previous?: SecretVersion, merchant = "merchant") => {
      secrets[`secret of ${merchant}`] = {
        ...(current && { AWSCURRENT: current }),
        ...(previous && { AWSPREVIOUS: previous }),
      };
    },
    /** How many times the current version was asked for. */
    loads: () => readSecret.mock.calls.filter(([, stage]) => stage === "AWSCURRENT").length,
    advance: async (milliseconds: number) => {
      clock.now += milliseconds;
      await vi.advanceTimersByTimeAsync(milliseconds);
    },
    freeze: (milliseconds: number) => {
      clock.now += milliseconds;
    },
  };
}
