import { constants, type KeyObject, sign, verify } from "node:crypto";
import type { WireProfile } from "./profile.ts";
import { readBytes, writeBytes } from "./wire-text.ts";

/** The fields of an envelope as they stand on the wire, with `body` still (or again) in plain text. */
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
 * The string under the signature, which §5 does not show: every field but `sign` that is there and not
 * empty, by name, as `name=value` joined by `&`; or the same fields as JSON; or the body alone.
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
