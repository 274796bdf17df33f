import { randomUUID } from "node:crypto";
import { PaycastError } from "../../shared/paycast-error.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import type { Target } from "../target/target.ts";
import { composeKeys, type GivenKeys } from "./compose-keys.ts";
import { compareKeys, type Inspection, inspectKeys, type KeyFacts } from "./inspect-keys.ts";
import type { Placing } from "./secret-calls.ts";
import { previousEndsAt, type StoredKeys, type StoredVersion } from "./stored-keys.ts";

/** "set" and "rotate" keep the current version as the previous one, "correct" and "revoke" take it out. */
export type KeysAct = "set" | "correct" | "rotate" | "revoke";

/** A new version of one secret. `text` holds keys and is never shown. */
export interface SecretChange extends Placing {
  readonly secretId: string;
  readonly text: string;
  readonly stored: StoredKeys;
  readonly inspection: Extract<Inspection, { kind: "good" }>;
  readonly facts: KeyFacts;
  /** Until when the version that will be the previous one verifies callbacks. */
  readonly verifiesUntil: string | undefined;
}

/** What the given keys change in this secret; undefined if none are for it. Throws `keys-invalid` or `profile-invalid`. */
export function changeOf(
  stored: StoredKeys,
  given: GivenKeys,
  act: KeysAct,
  { previousKeysMilliseconds: lifetime }: Target,
  now: number,
): SecretChange | undefined {
  const { kind, merchantId, secretId, current } = stored;
  const text = composeKeys(stored, given);
  if (text === undefined) return undefined;
  const versionId = randomUUID();
  const inspection = inspectKeys(kind, merchantId, { versionId, createdAtMilliseconds: now, text });
  if (inspection.kind === "broken") {
    throw new PaycastError("keys-invalid", `The new ${kind} keys: ${inspection.message}`);
  }
  const way = wayOf(current, act);
  const kept = way === "replace" ? keptVersion(stored, lifetime, now) : undefined;
  const placing = { kind, way, versionId, current: current?.versionId, kept: kept?.versionId };
  const willBePrevious = way === "rotate" ? current : kept;
  const verifiesUntil =
    willBePrevious && kind === "callback" ? toRfc3339(now + lifetime) : undefined;
  const { facts } = inspection;
  return { ...placing, secretId, text, stored, inspection, facts, verifiesUntil };
}

/** A broken current version was never used. If it became the previous one, it would push a good one out. */
function wayOf(current: StoredVersion | undefined, act: KeysAct): Placing["way"] {
  if (current === undefined) return "first";
  const isTakenOut = act === "correct" || act === "revoke";
  return isTakenOut || current.inspection.kind === "broken" ? "replace" : "rotate";
}

/** A previous version whose time is over must not get a new one. */
function keptVersion(stored: StoredKeys, lifetime: number, now: number): StoredVersion | undefined {
  const { previous } = stored;
  const endsAt = previousEndsAt(stored, lifetime) ?? Number.POSITIVE_INFINITY;
  return previous?.inspection.kind === "good" && endsAt > now ? previous : undefined;
}

/** Storing the same keys again would push the previous version out. */
export function isUnchanged({ stored: { current }, inspection }: SecretChange): boolean {
  if (current?.inspection.kind !== "good") return false;
  const { areSameKeys, isSameProfile } = compareKeys(inspection.keys, current.inspection.keys);
  return areSameKeys && isSameProfile;
}
