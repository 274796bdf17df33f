import { constants, type KeyObject, sign, verify } from "node:crypto";
import { readJsonOrText, type WritableJson, writeExactJson } from "./exact-json.ts";
import type { WireProfile } from "./profile.ts";
import { readBytes, writeBytes } from "./wire-text.ts";

/**
 * The fields of an envelope in the order of the wire. `body` is what the signature covers: plaintext or ciphertext. No
 * field has a numeric name, which JavaScript would move to the front.
 */
export type EnvelopeFields = Readonly<Record<string, string | number | undefined>>;

const hashNames = { "SHA-1": "sha1", "SHA-256": "sha256", "SHA-512": "sha512" } as const;

export function signEnvelope(profile: WireProfile, key: KeyObject, fields: EnvelopeFields): string {
  const bytes = Buffer.from(signedText(profile, fields), "utf8");
  const padding = paddingOf(profile, constants.RSA_PSS_SALTLEN_DIGEST);
  return writeBytes(
    sign(hashNames[profile.signatureHash], bytes, { key, ...padding }),
    profile.signatureEncoding,
  );
}

export function signatureMatches(
  profile: WireProfile,
  key: KeyObject,
  fields: EnvelopeFields,
  signature: string,
): boolean {
  const given = readBytes(signature, profile.signatureEncoding);
  if (given === undefined) return false;
  const bytes = Buffer.from(signedText(profile, fields), "utf8");
  const padding = paddingOf(profile, constants.RSA_PSS_SALTLEN_AUTO);
  return verify(hashNames[profile.signatureHash], bytes, { key, ...padding }, given);
}

/**
 * The text that is signed, which §5 does not show: all fields except `sign` that are not empty, as `name=value` joined
 * by `&` or as JSON, each sorted by name or in the order of the wire; or the body alone.
 */
function signedText(profile: WireProfile, fields: EnvelopeFields): string {
  const unsigned: readonly string[] = ["sign", ...profile.unsignedFields];
  const present = Object.entries(fields).filter(
    ([name, value]) => !unsigned.includes(name) && value !== undefined && value !== "",
  );
  switch (profile.signedForm) {
    case "body":
      return String(fields["body"]);
    case "sorted-pairs":
      return pairs(sortedByName(present));
    case "pairs-as-sent":
      return pairs(present);
    case "canonical-json":
      return json(sortedByName(present), profile);
    case "json-as-sent":
      return json(present, profile);
  }
}

type NamedValue = [name: string, value: EnvelopeFields[string]];

function sortedByName(fields: readonly NamedValue[]): readonly NamedValue[] {
  return fields.toSorted(([left], [right]) => (left < right ? -1 : 1));
}

function pairs(fields: readonly NamedValue[]): string {
  return fields.map(([name, value]) => `${name}=${value}`).join("&");
}

function json(fields: readonly NamedValue[], profile: WireProfile): string {
  return writeExactJson(withBodyInside(Object.fromEntries(fields), profile), profile.jsonStyle);
}

/** §4.2 signs the request object with a plain body. That body may be a string, or the object itself. */
function withBodyInside(fields: EnvelopeFields, { bodyInJson }: WireProfile): WritableJson {
  if (bodyInJson === "text") return fields;
  return { ...fields, body: readJsonOrText(String(fields["body"])) };
}

function paddingOf(profile: WireProfile, saltLength: number) {
  return profile.signaturePadding === "PSS"
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }
    : { padding: constants.RSA_PKCS1_PADDING };
}
