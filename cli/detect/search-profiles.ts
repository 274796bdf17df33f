import { Buffer } from "node:buffer";
import { openEnvelope } from "../../shared/envelope/open-callback.ts";
import {
  changesFromDefault,
  defaultProfile,
  distanceFromDefault,
  type Profile,
  readProfile,
  signatureHashes,
  signaturePaddings,
  signedBodies,
  textEncodings,
} from "../../shared/envelope/profile.ts";
import { Refusal, type RefusalReason } from "../../shared/envelope/refusal.ts";
import type { Capture } from "./capture.ts";
import type { SearchKeys } from "./keys.ts";
import { type BodyReading, readBody } from "./read-body.ts";
import { readSignature, type SignatureReading, type SignatureScheme } from "./read-signature.ts";
import { allSignedForms, bytesOf, type SignedForm } from "./signed-forms.ts";
import { readSpelling } from "./undecided.ts";

/** Everything that a search found, even if no profile fits. */
export interface SearchResult {
  /** Each is verified with Paycast's own code for opening; the one nearest to the default is first. */
  readonly profiles: readonly Profile[];
  /** How many different profiles were checked. */
  readonly combinations: number;
  /** How many texts were compared with the signature; 0 if its digest could not be recovered. */
  readonly textsCompared: number;
  readonly bodyReadings: readonly BodyReading[];
  readonly signature: SignatureReading;
  readonly match: SignedTextMatch | undefined;
  /** Why Paycast's own code for opening refused a profile that the search found. */
  readonly refusals: readonly RefusalReason[];
}

/** The text that was signed. There is only one, because the hash has no collisions. */
export interface SignedTextMatch extends SignedForm {
  readonly scheme: SignatureScheme;
  readonly signs: Profile["signs"];
  readonly body: string;
}

export type OnProgress = (textsCompared: number, texts: number) => void;

/**
 * Checks every possible profile without trying each one: the body is decrypted once in every way, the digest is
 * recovered from the signature once, and texts are compared with that digest.
 */
export function searchProfiles(
  capture: Capture,
  keys: SearchKeys,
  onProgress: OnProgress = () => {},
): SearchResult {
  const { envelope } = capture;
  const { waysTried, readings } = readBody(envelope.body, keys);
  const signature = readSignature(envelope.sign, keys.publicKey, keys.rsaBits);
  const forms = allSignedForms(envelope.fields);
  const bodies = bodiesOf(envelope.body, readings);
  const schemes = signature.reached === "recovered" ? signature.schemes : [];
  const match = findText(capture, forms, bodies, schemes, onProgress);
  const candidates = match === undefined ? [] : candidatesOf(match, signature, readings, capture);
  return {
    ...verifyAll(candidates, capture, keys),
    combinations: waysTried * signatureWays * signedBodies.length * forms.length,
    textsCompared: schemes.length === 0 ? 0 : bodies.length * forms.length,
    bodyReadings: readings,
    signature,
    match,
  };
}

const signatureWays = signatureHashes.length * signaturePaddings.length * textEncodings.length;

type SignedBody = Pick<SignedTextMatch, "signs" | "body">;

/** The possible forms of the body in the signed text, the most likely first. */
function bodiesOf(ciphertext: string, readings: readonly BodyReading[]): SignedBody[] {
  const plaintexts = (isJson: boolean) => {
    const fitting = readings.filter(({ quality }) => (quality === "json") === isJson);
    const texts = new Set(fitting.flatMap(({ text }) => (text === undefined ? [] : [text])));
    return [...texts].map((body): SignedBody => ({ signs: "plaintext", body }));
  };
  return [...plaintexts(true), { signs: "ciphertext", body: ciphertext }, ...plaintexts(false)];
}

function findText(
  { envelope }: Capture,
  forms: readonly SignedForm[],
  bodies: readonly SignedBody[],
  schemes: readonly SignatureScheme[],
  onProgress: OnProgress,
): SignedTextMatch | undefined {
  if (schemes.length === 0) return undefined;
  let compared = 0;
  for (const signedBody of bodies) {
    const body = Buffer.from(signedBody.body);
    for (const form of forms) {
      if (compared++ % 64 === 0) onProgress(compared, bodies.length * forms.length);
      const signed = bytesOf(envelope.fields, body, form);
      const scheme = schemes.find(({ isOf }) => isOf(signed));
      if (scheme !== undefined) return { ...form, ...signedBody, scheme };
    }
  }
  return undefined;
}

/** The match, combined with each way of decrypting and each signature encoding that fit it. */
function candidatesOf(
  match: SignedTextMatch,
  signature: SignatureReading,
  readings: readonly BodyReading[],
  capture: Capture,
): Profile[] {
  const encodings = signature.reached === "recovered" ? signature.encodings : [];
  const vouchedFor = readings.filter((reading) => isVouchedFor(reading, match));
  return vouchedFor.flatMap(({ settings, text }) =>
    encodings.map((signatureEncoding) => ({
      ...defaultProfile,
      ...settings,
      ...readSpelling(capture, text ?? ""),
      signs: match.signs,
      signedForm: match.signedForm,
      unsignedFields: match.unsignedFields,
      signatureHash: match.scheme.hash,
      signaturePadding: match.scheme.padding,
      signatureEncoding,
    })),
  );
}

/**
 * Whether there is proof that a body was decrypted correctly: the signature if it covers the plaintext; otherwise a
 * GCM tag, or that the text is a JSON object.
 */
function isVouchedFor(reading: BodyReading, match: SignedTextMatch): boolean {
  if (match.signs === "plaintext") return reading.text === match.body;
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
    profiles: profiles.sort((one, other) => distanceFromDefault(one) - distanceFromDefault(other)),
    refusals: outcomes.flatMap(({ refusal }) => refusal ?? []),
  };
}

/**
 * Opens the capture with a profile, with the same code as for a real callback, and gives the reason if it is refused.
 * The profile is parsed as it will be after it is pasted. The clock is set to the capture's own time, because the
 * capture may be old.
 */
function reasonNotToOpen(
  candidate: Profile,
  { envelope }: Capture,
  keys: SearchKeys,
): RefusalReason | undefined {
  const profile = readProfile(changesFromDefault(candidate));
  const aesKey = keys.aesKeys.get(profile.keyEncoding);
  if (aesKey === undefined) return "cannot-decrypt";
  const nowMilliseconds = envelope.timestampMilliseconds;
  const window = { nowMilliseconds, maximumAgeMilliseconds: 0, maximumAheadMilliseconds: 0 };
  const opening = { profile, aesKey, servicePublicKey: keys.publicKey };
  try {
    const version = { versionId: "capture", stage: "current", keys: opening } as const;
    const { content } = openEnvelope(envelope, [version], window);
    return content.kind === "text" ? undefined : "cannot-decrypt";
  } catch (error) {
    if (error instanceof Refusal) return error.reason;
    throw error;
  }
}
