import {
  changesFromDefault,
  defaultProfile,
  type Profile,
} from "../../../shared/envelope/profile.ts";
import type { Capture, CaptureKind } from "./capture.ts";
import { escapeName, explainFailure, listNames } from "./explain.ts";
import type { PartOfKey, SearchKeys } from "./keys.ts";
import type { BodyReading, CipherSettings } from "./read-body.ts";
import { type OnProgress, type SearchResult, searchProfiles } from "./search-profiles.ts";
import { listUndecided, type Undecided } from "./undecided.ts";

interface Effort {
  readonly capture: CaptureKind;
  /** How many different profiles were checked. */
  readonly combinations: number;
  readonly seconds: number;
}

/** What `--json` prints. It holds no key, and of the plaintext only the names of its fields. */
export type Report = FoundReport | NotFoundReport;

interface FoundReport extends Effort {
  readonly found: true;
  readonly isDefault: boolean;
  /** To paste: only what differs from the default. */
  readonly profile: Partial<Profile>;
  readonly bodyFields: readonly string[];
  readonly undecided: readonly Undecided[];
  readonly warnings: readonly string[];
}

interface NotFoundReport extends Effort, ReturnType<typeof explainFailure> {
  readonly found: false;
}

/** Searches the profile of a capture and reports what was found. */
export function detect(capture: Capture, keys: SearchKeys, onProgress?: OnProgress): Report {
  const startedAt = performance.now();
  const result = searchProfiles(capture, keys, onProgress);
  const seconds = (performance.now() - startedAt) / 1000;
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

/** The report as text for people. */
export function reportText(report: Report): string {
  const lines = report.found ? foundLines(report) : notFoundLines(report);
  return `${lines.join("\n")}\n`;
}

function foundLines(report: FoundReport): string[] {
  const { capture, bodyFields, undecided, warnings } = report;
  return [
    ...profileLines(report),
    "",
    `Verified: Paycast's own code opened the ${capture} with this profile. ${effortOf(report)}`,
    `Fields of the body: ${listNames(bodyFields)}.`,
    ...section("Take note:", warnings),
    ...section(
      `What one ${capture} cannot tell:`,
      undecided.map(({ sentence }) => sentence),
    ),
  ];
}

function profileLines({ isDefault, profile }: FoundReport): string[] {
  const opening = isDefault
    ? 'The default profile fits: leave the field "profile" out of both secrets, or set it to {}.'
    : 'A profile fits. Paste it as the field "profile" into both secrets of the merchant, callback keys and request keys:';
  return [opening, "", JSON.stringify(profile, null, 2)];
}

function notFoundLines(report: NotFoundReport): string[] {
  return [
    `No profile fits this ${report.capture}. ${effortOf(report)}`,
    "",
    "How far the best try got:",
    `- Body: ${report.body.sentence}`,
    `- Signature: ${report.signature.sentence}`,
    ...section("What to check next:", report.checks),
  ];
}

function effortOf({ combinations, seconds }: Report): string {
  return `Tried ${combinations.toLocaleString("en")} combinations, each accepted or excluded, in ${seconds.toFixed(2)} seconds.`;
}

function section(title: string, points: readonly string[]): string[] {
  return points.length === 0 ? [] : ["", title, ...points.map((point) => `- ${point}`)];
}
