import { Buffer } from "node:buffer";
import { NotDecrypted } from "../../../shared/envelope/not-decrypted.ts";
import { openEnvelope } from "../../../shared/envelope/open-callback.ts";
import {
  changesFromDefault,
  defaultProfile,
  distanceFromDefault,
  type Profile,
  readProfile,
  signatureHashes,
  signaturePaddings,
  textEncodings,
} from "../../../shared/envelope/profile.ts";
import { Refusal } from "../../../shared/envelope/refusal.ts";
import { signedBytes, type WireEnvelope } from "../../../shared/envelope/signed-bytes.ts";
import type { RefusalReason } from "../../../shared/errors/error-codes.ts";
import type { Capture } from "./capture.ts";
import type { SearchKeys } from "./keys.ts";
import { type BodyReading, readBody } from "./read-body.ts";
import { readSignature, type SignatureReading, type SignatureScheme } from "./read-signature.ts";
import { readSpelling } from "./read-spelling.ts";
import {
  allSignedForms,
  distinctForms,
  equalForms,
  type SignedBody,
  type SignedForm,
} from "./signed-forms.ts";

/** Everything that a search found, even if no profile fits. */
export interface SearchResult {
  /** Each is verified with Paycast's own code for opening; the one nearest to the default is first. */
  readonly profiles: readonly Profile[];
  /** How many different profiles were checked. */
  readonly combinations: number;
  /** The best first. */
  readonly bodyReadings: readonly BodyReading[];
  readonly signature: SignatureReading;
  readonly match: SignedTextMatch | undefined;
  /** Why Paycast's own code for opening rejected a profile that the search found. */
  readonly refusals: readonly RefusalReason[];
}

/** The text that was signed. There is only one, because the hash has no collisions. */
interface SignedTextMatch {
  readonly form: SignedForm;
  readonly signedBody: SignedBody;
  readonly scheme: SignatureScheme;
}

export type OnProgress = (textsCompared: number, texts: number) => void;

/**
 * Checks every possible profile without trying each one: the body is decrypted once in every way, the signature shows
 * its padding and digest, and texts are compared with that digest.
 */
export function searchProfiles(
  capture: Capture,
  keys: SearchKeys,
  onProgress: OnProgress = () => {},
): SearchResult {
  const { envelope } = capture;
  const { waysTried, readings } = readBody(envelope.body, keys);
  const signature = readSignature(envelope.sign, keys.publicKey, keys.rsaBits);
  const texts = bodiesOf(envelope.body, readings).flatMap((signedBody) =>
    distinctForms(envelope, signedBody).map((form) => ({ form, signedBody })),
  );
  const match = findText(envelope, signature, texts, onProgress);
  const candidates = match === undefined ? [] : candidatesOf(match, signature, readings, capture);
  const forms = bodyKinds.flatMap((kind) => allSignedForms(envelope, kind));
  return {
    ...verifyAll(candidates, capture, keys),
    combinations: waysTried * signatureWays * forms.length,
    bodyReadings: readings,
    signature,
    match,
  };
}

/** A profile signs the plaintext or the ciphertext. */
const bodyKinds = ["json", "ciphertext"] as const;
const signatureWays = signatureHashes.length * signaturePaddings.length * textEncodings.length;

/**
 * The possible forms of the body in the signed text, the most likely first. If one way of decrypting gives JSON, text
 * that is not JSON was decrypted wrongly.
 */
function bodiesOf(ciphertext: string, readings: readonly BodyReading[]): SignedBody[] {
  const plaintexts = (kind: "json" | "other-text") => {
    const fitting = readings.filter(({ quality }) => (quality === "json") === (kind === "json"));
    const texts = new Set(fitting.flatMap(({ text }) => text ?? []));
    return [...texts].map(
      (text): SignedBody => ({
        signs: "plaintext",
        kind,
        bytes: Buffer.from(text),
      }),
    );
  };
  const sent = { signs: "ciphertext", kind: "ciphertext", bytes: Buffer.from(ciphertext) } as const;
  const json = plaintexts("json");
  return json.length > 0 ? [...json, sent] : [sent, ...plaintexts("other-text")];
}

function findText(
  envelope: WireEnvelope,
  signature: SignatureReading,
  texts: readonly Pick<SignedTextMatch, "form" | "signedBody">[],
  onProgress: OnProgress,
): SignedTextMatch | undefined {
  if (signature.reached !== "recovered") return undefined;
  for (const [index, text] of texts.entries()) {
    if (index % 64 === 0) onProgress(index + 1, texts.length);
    const { signs, bytes } = text.signedBody;
    const signed = signedBytes(envelope, bytes, { ...defaultProfile, ...text.form, signs });
    const made = signature.schemes.find(({ isOf }) => isOf(signed));
    if (made !== undefined) return { ...text, scheme: made.scheme };
  }
  return undefined;
}

/** The match, combined with each form, way of decrypting and signature encoding that fit it. */
function candidatesOf(
  match: SignedTextMatch,
  signature: SignatureReading,
  readings: readonly BodyReading[],
  capture: Capture,
): Profile[] {
  const encodings = signature.reached === "recovered" ? signature.encodings : [];
  const { form: matched, signedBody, scheme } = match;
  const signed = equalForms(capture.envelope, matched, signedBody).flatMap((form) =>
    encodings.map((signatureEncoding) => ({ ...form, signatureEncoding })),
  );
  return readings
    .filter((reading) => isVouchedFor(reading, match))
    .flatMap(({ settings, text = "" }) => {
      const spelling = readSpelling(capture, text);
      const common = { ...settings, ...spelling, ...scheme, signs: signedBody.signs };
      return signed.map((signing) => ({ ...defaultProfile, ...common, ...signing }));
    });
}

/**
 * Whether there is proof that a body was decrypted correctly: the signature if it covers the plaintext; otherwise a
 * GCM tag, or that the text is a JSON object.
 */
function isVouchedFor(reading: BodyReading, { signedBody }: SignedTextMatch): boolean {
  if (signedBody.signs === "plaintext") return reading.text === signedBody.bytes.toString();
  const isTagged = reading.settings.cipher === "GCM" && reading.text !== undefined;
  return isTagged || reading.quality === "json";
}

function verifyAll(candidates: readonly Profile[], capture: Capture, keys: SearchKeys) {
  const minimumRsaBits = Math.min(defaultProfile.minimumRsaBits, keys.rsaBits);
  const outcomes = candidates.map((candidate) => {
    const profile = { ...candidate, minimumRsaBits };
    return { profile, refusal: reasonNotToOpen(profile, capture, keys) };
  });
  const profiles = outcomes.filter((o) => o.refusal === undefined).map((o) => o.profile);
  return {
    profiles: profiles.sort(
      (left, right) => distanceFromDefault(left) - distanceFromDefault(right),
    ),
    refusals: outcomes.flatMap(({ refusal }) => refusal ?? []),
  };
}

/**
 * Opens the capture with a profile, with the same code as for a real callback, and returns the reason if it is rejected.
 * The profile is parsed as it will be after it is pasted. The clock is set to the capture's own time, because the
 * capture may be old.
 */
function reasonNotToOpen(
  candidate: Profile,
  { envelope }: Capture,
  { aesKeys, publicKey: servicePublicKey }: SearchKeys,
): RefusalReason | undefined {
  const profile = readProfile(changesFromDefault(candidate));
  const aesKey = aesKeys.get(profile.keyEncoding);
  if (aesKey === undefined) return "cannot-decrypt";
  const nowMilliseconds = envelope.timestampMilliseconds;
  const window = { nowMilliseconds, maximumAgeMilliseconds: 0, maximumAheadMilliseconds: 0 };
  const keys = { profile, aesKey, servicePublicKey };
  const version = { versionId: "capture", stage: "current", keys } as const;
  try {
    const { content } = openEnvelope(envelope, [version], window);
    return content.kind === "text" ? undefined : "cannot-decrypt";
  } catch (error) {
    if (error instanceof NotDecrypted) return "cannot-decrypt";
    if (error instanceof Refusal) return error.reason;
    throw error;
  }
}
