import { PaycastError } from "../../shared/paycast-error.ts";
import type { Target } from "../target/target.ts";
import {
  haveSameAesKey,
  haveSameProfile,
  haveSameRsaKey,
  type ParsedKeys,
} from "./inspect-keys.ts";
import type { SecretChange } from "./plan-keys.ts";
import { previousEndsAt, type StoredKeys } from "./stored-keys.ts";
import { readVersionUse } from "./version-use.ts";

export interface PlanNotes {
  readonly warnings: readonly string[];
  /** Reasons not to do it. The operator can insist. */
  readonly objections: readonly string[];
}

export interface PlannedChanges {
  readonly stored: readonly StoredKeys[];
  readonly changes: readonly SecretChange[];
  readonly nowMilliseconds: number;
}

/** For how long back a previous version counts as in use. */
const useHours = 24;

/** What an operator should know before the change. Throws `keys-invalid` if the two secrets cannot be right together. */
export async function findPlanNotes(target: Target, planned: PlannedChanges): Promise<PlanNotes> {
  const pushedOut = findPushedOut(target, planned);
  const objections = pushedOut === undefined ? [] : await objectionsTo(target, pushedOut, planned);
  return { warnings: warningsOf(planned), objections };
}

/** A previous version that still verifies, and would lose its stage by a rotation. */
function findPushedOut(
  { previousKeysMilliseconds }: Target,
  { changes, nowMilliseconds }: PlannedChanges,
): string | undefined {
  const rotated = changes.find(({ kind, way }) => kind === "callback" && way === "rotate");
  if (rotated?.stored.previous?.inspection.kind !== "good") return undefined;
  const endsAt = previousEndsAt(rotated.stored, previousKeysMilliseconds) ?? 0;
  return endsAt > nowMilliseconds ? rotated.stored.previous.versionId : undefined;
}

async function objectionsTo(
  target: Target,
  versionId: string,
  { nowMilliseconds }: PlannedChanges,
): Promise<string[]> {
  const now = () => nowMilliseconds;
  const { lastUsedAt } = await readVersionUse(target, { hours: useHours, now });
  const usedAt = lastUsedAt.get(versionId);
  if (usedAt === undefined) return [];
  return [
    `The previous callback keys of the last rotation are still in use: a callback of ${usedAt} was verified by them. This change would take them out, and the callbacks that still use them would be refused.`,
  ];
}

function warningsOf({ stored, changes }: PlannedChanges): string[] {
  const keysOf = (kind: StoredKeys["kind"]): ParsedKeys | undefined => {
    const change = changes.find((candidate) => candidate.kind === kind);
    if (change !== undefined) return change.inspection.keys;
    const inspection = stored.find((candidate) => candidate.kind === kind)?.current?.inspection;
    return inspection?.kind === "good" ? inspection.keys : undefined;
  };
  const [callback, request] = [keysOf("callback"), keysOf("request")];
  const together = callback && request ? differencesOf(callback, request) : [];
  return [...changes.flatMap(warningsOfChange), ...together];
}

function warningsOfChange({ kind, facts, inspection, stored }: SecretChange): string[] {
  const warnings: string[] = [];
  if (facts.rsaBits < 2048) {
    warnings.push(`The RSA key of the new ${kind} keys has only ${facts.rsaBits} bits.`);
  }
  if (
    facts.aesBits === 192 &&
    inspection.keys.profile.keyEncoding === "base64" &&
    looksLikeHex(inspection.keys)
  ) {
    warnings.push(
      'The AES key is read as base64 (192 bits), but it looks like hex (128 bits). If it is hex, the profile needs "keyEncoding": "hex".',
    );
  }
  const before = stored.previous?.inspection;
  if (
    before?.kind === "good" &&
    haveSameRsaKey(before.keys, inspection.keys) &&
    haveSameAesKey(before.keys, inspection.keys)
  ) {
    warnings.push(
      `The new ${kind} keys are those of the previous version: this goes back to them.`,
    );
  }
  return warnings;
}

/** 32 hexadecimal digits are also base64, of 24 bytes. */
function looksLikeHex({ aesKey }: ParsedKeys): boolean {
  return /^[0-9a-f]+$/i.test(aesKey.export().toString("base64"));
}

function differencesOf(callback: ParsedKeys, request: ParsedKeys): string[] {
  if (haveSameRsaKey(callback, request)) {
    throw new PaycastError(
      "keys-invalid",
      "The service's public key is the public half of the merchant's own private key. Callbacks are signed by the service: ask it for its public key.",
    );
  }
  return [
    ...(haveSameAesKey(callback, request) ? [] : ["AES key"]),
    ...(haveSameProfile(callback, request) ? [] : ["wire profile"]),
  ].map((what) => `After this, callback keys and request keys have a different ${what}.`);
}
