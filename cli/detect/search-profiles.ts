import { Buffer } from "node:buffer";
import {
  defaultProfile,
  type Profile,
  signatureHashes,
  signaturePaddings,
  signedBodies,
  textEncodings,
} from "../../shared/envelope/profile.ts";
import type { RefusalReason } from "../../shared/envelope/refusal.ts";
import type { Capture } from "./capture.ts";
import type { SearchKeys } from "./keys.ts";
import { distanceFromDefault } from "./profile-changes.ts";
import { type BodyReading, readBody } from "./read-body.ts";
import { readSignature, type SignatureReading, type SignatureScheme } from "./read-signature.ts";
import { readSpelling } from "./read-spelling.ts";
import { allSignedForms, bytesOf, type SignedForm } from "./signed-forms.ts";
import { reasonNotToOpen } from "./verify-profile.ts";

/** All that a search found out, whether or not a profile fits. */
export interface SearchResult {
  /** Verified by the opening code, each of them; the one nearest to the default first. */
  readonly profiles: readonly Profile[];
  /** How many different profiles were decided upon. */
  readonly combinations: number;
  /** How many texts were held against the signature; none if it could not be opened. */
  readonly textsCompared: number;
  readonly bodyReadings: readonly BodyReading[];
  readonly signature: SignatureReading;
  readonly match: SignedTextMatch | undefined;
  /** Why the opening code refused a profile that the search had found. */
  readonly refusals: readonly RefusalReason[];
}

/** The text that the signature was made of; there is no second one, or the hash were broken. */
export interface SignedTextMatch extends SignedForm {
  readonly scheme: SignatureScheme;
  readonly signs: Profile["signs"];
  readonly body: string;
}

export type OnProgress = (textsCompared: number, texts: number) => void;

/**
 * Decides on every profile that can be expressed, without trying one after the other: the body is
 * decrypted in every way once, the signature is opened once, and texts are held against what it holds.
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

/** What may stand for the body, the likeliest first. */
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

/** The match with each way of decrypting and each spelling of the signature that go with it. */
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
 * Whether anything but hope says that a body was decrypted rightly: the signature where it is over the
 * plaintext; otherwise a GCM tag, or that the text is a JSON object.
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
