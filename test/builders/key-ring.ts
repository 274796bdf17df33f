import { onTestFinished, vi } from "vitest";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { createKeyRing, type KeyProblem } from "../../shared/keys/key-ring.ts";
import type { SecretVersion } from "../../shared/keys/keys-in-secret.ts";
import type { ReadSecret } from "../../shared/keys/read-secret.ts";

type Stages = { AWSCURRENT?: SecretVersion; AWSPREVIOUS?: SecretVersion };

interface RingOptions {
  readonly merchants?: readonly string[];
  readonly previousLifetime?: number;
}

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
 * A key ring on a clock that stands still until it is moved, over secrets held in memory. The timers are faked until
 * the test ends: `advance` moves clock and timers, `freeze` the clock alone, as when Lambda stops the process.
 */
export function makeKeyRing(options: RingOptions = {}) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
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
    /** The merchant's keys as `version stage`. */
    versions: async () =>
      (await ring.keysFor("merchant")).map(({ versionId, stage }) => `${versionId} ${stage}`),
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
    now: () => clock.now,
  };
}

/** A key ring that has loaded these versions. */
export async function ringInUse(
  current: SecretVersion,
  previous?: SecretVersion,
  options: RingOptions = {},
) {
  const made = makeKeyRing(options);
  made.put(current, previous);
  await made.versions();
  return made;
}
