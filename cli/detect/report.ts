import { changesFromDefault, defaultProfile, type Profile } from "../../shared/envelope/profile.ts";
import type { Capture, CaptureKind } from "./capture.ts";
import type { CipherSettings } from "./cipher-settings.ts";
import { type Explanation, escapeName, explainBody } from "./explain-body.ts";
import { explainSignature } from "./explain-signature.ts";
import type { PartOfKey } from "./fixed-ivs.ts";
import type { SearchKeys } from "./keys.ts";
import type { BodyReading } from "./read-body.ts";
import type { SearchResult } from "./search-profiles.ts";
import { listUndecided, type Undecided } from "./undecided.ts";

interface Effort {
  readonly capture: CaptureKind;
  /** How many different profiles were checked. */
  readonly combinations: number;
  readonly seconds: number;
}

/** What `--json` prints. It holds no key, and of the plaintext only the names of its fields. */
export type Report = FoundReport | NotFoundReport;

export interface FoundReport extends Effort {
  readonly found: true;
  readonly isDefault: boolean;
  /** To paste: only what differs from the default. */
  readonly profile: Partial<Profile>;
  readonly bodyFields: readonly string[];
  readonly undecided: readonly Undecided[];
  readonly warnings: readonly string[];
}

export interface NotFoundReport extends Effort {
  readonly found: false;
  readonly body: Omit<Explanation, "checks">;
  readonly signature: Omit<Explanation, "checks">;
  readonly checks: readonly string[];
}

export function makeReport(
  result: SearchResult,
  capture: Capture,
  keys: SearchKeys,
  seconds: number,
): Report {
  const effort = { capture: capture.kind, combinations: result.combinations, seconds };
  const [chosen] = result.profiles;
  return chosen === undefined
    ? { found: false, ...effort, ...explainFailure(result, capture, keys) }
    : { found: true, ...effort, ...describeFound(chosen, result, capture, keys) };
}

function describeFound(
  chosen: Profile,
  result: SearchResult,
  capture: Capture,
  keys: SearchKeys,
): Omit<FoundReport, "found" | keyof Effort> {
  const profile = changesFromDefault(chosen);
  const reading = result.bodyReadings.find(({ settings }) => isPartOf(settings, chosen));
  const partOfKey = keys.fixedIvs.find(
    ({ bytes }) => bytes.toString("hex") === chosen.fixedIv,
  )?.partOfKey;
  return {
    isDefault: Object.keys(profile).length === 0,
    profile: partOfKey === undefined ? profile : { ...profile, fixedIv: `<${partOfKey.what}>` },
    bodyFields: (reading?.fieldNames ?? []).map(escapeName),
    undecided: listUndecided(result.profiles, capture, reading?.text ?? ""),
    warnings: warningsFor(chosen, reading, partOfKey),
  };
}

function isPartOf(settings: CipherSettings, profile: Profile): boolean {
  const whole = new Map<string, unknown>(Object.entries(profile));
  return Object.entries(settings).every(([name, value]) => whole.get(name) === value);
}

function warningsFor(
  { cipher, iv, minimumRsaBits }: Profile,
  reading: BodyReading | undefined,
  partOfKey: PartOfKey | undefined,
): string[] {
  const warnings: string[] = [];
  if (partOfKey !== undefined) {
    warnings.push(
      `The IV is a part of the AES key, so it is not printed. To get ${partOfKey.what}: ${partOfKey.command}`,
    );
  }
  if (cipher === "GCM" && iv !== "prefixed") {
    warnings.push(
      `GCM with iv "${iv}" opens, but Paycast refuses to seal requests with it: two messages under one IV reveal the key.`,
    );
  }
  if (minimumRsaBits < defaultProfile.minimumRsaBits) {
    warnings.push(
      `The RSA key has ${minimumRsaBits} bits, which minimumRsaBits now allows. Ask for one of 2048 or more.`,
    );
  }
  if (reading?.quality !== "json") {
    warnings.push("The body is not a JSON object, so Paycast cannot make an event from it.");
  }
  return warnings;
}

function explainFailure(result: SearchResult, capture: Capture, keys: SearchKeys) {
  const body = explainBody(capture.envelope.body, result.bodyReadings, keys);
  const signature = explainSignature(result, capture.kind, keys);
  return {
    body: { reached: body.reached, sentence: body.sentence },
    signature: { reached: signature.reached, sentence: signature.sentence },
    checks: [...new Set([...body.checks, ...signature.checks])],
  };
}
