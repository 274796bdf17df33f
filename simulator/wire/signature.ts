import { constants, type KeyObject, sign, verify } from "node:crypto";
import type { WireProfile } from "./profile.ts";
import { readBytes, writeBytes } from "./wire-text.ts";

/** The fields of an envelope as on the wire. `body` is what the signature covers: plaintext or ciphertext. */
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
 * The text that is signed, which §5 does not show. Three forms exist: all fields except `sign` that are not empty,
 * sorted by name, as `name=value` joined by `&`; the same fields as JSON; or the body alone.
 */
function signedText(profile: WireProfile, fields: EnvelopeFields): string {
  if (profile.signedForm === "body") return String(fields["body"]);
  const left: readonly string[] = ["sign", ...profile.unsignedFields];
  const present = Object.entries(fields)
    .filter(([name, value]) => !left.includes(name) && value !== undefined && value !== "")
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return profile.signedForm === "canonical-json"
    ? JSON.stringify(Object.fromEntries(present))
    : present.map(([name, value]) => `${name}=${value}`).join("&");
}

function paddingOf(profile: WireProfile, saltLength: number) {
  return profile.signaturePadding === "PSS"
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }
    : { padding: constants.RSA_PKCS1_PADDING };
}
