import { Buffer, isUtf8 } from "node:buffer";
import { omittableFields, type Profile } from "./profile.ts";

/** A value as it was written in the request: JSON has more spellings of a number or an object than we could restore. */
interface SourceText {
  readonly source: string;
}

export type WireValue = string | number | boolean | null | SourceText;

/** An envelope's fields as they stand on the wire. */
export type WireFields = Readonly<Record<string, WireValue | undefined>>;

/**
 * The bytes that a signature covers (§5; the interface does not show them, so the profile says them): every
 * field that is present and not empty, but `sign` and those the profile leaves out, sorted by name.
 * `body` is passed in, since the profile decides whether it stands there plain or encrypted.
 */
export function signedBytes(fields: WireFields, body: Buffer, profile: Profile): Buffer {
  switch (profile.signedForm) {
    case "body":
      return body;
    case "sorted-pairs":
      return sortedPairs(fields, body, profile);
    case "canonical-json":
      return canonicalJson(fields, body, profile);
  }
}

/** Whether anybody can have signed such a body: JSON cannot hold bytes that are not UTF-8. */
export function isSignable(body: Buffer, profile: Profile): boolean {
  return profile.signedForm !== "canonical-json" || isUtf8(body);
}

/** The body goes in as bytes: it is the one part that may be long, or no text at all. */
function sortedPairs(fields: WireFields, body: Buffer, profile: Profile): Buffer {
  let before = "";
  let after = "";
  for (const name of signedNames(fields, profile)) {
    if (name === "body") before += before === "" ? "body=" : "&body=";
    else if (name > "body") after += `&${name}=${pairText(fields[name])}`;
    else before += `${before === "" ? "" : "&"}${name}=${pairText(fields[name])}`;
  }
  return Buffer.concat([Buffer.from(before), body, Buffer.from(after)]);
}

function canonicalJson(fields: WireFields, body: Buffer, profile: Profile): Buffer {
  const text = body.toString("utf8");
  const members = signedNames(fields, profile).map((name) => {
    const value = name === "body" ? text : fields[name];
    return `${JSON.stringify(name)}:${isSourceText(value) ? value.source : JSON.stringify(value)}`;
  });
  return Buffer.from(`{${members.join(",")}}`);
}

function pairText(value: WireFields[string]): string {
  return isSourceText(value) ? value.source : String(value);
}

function isSourceText(value: WireFields[string]): value is SourceText {
  return typeof value === "object" && value !== null;
}

/** The names of the interface, sorted once: most envelopes have no others. */
const usualNames: readonly string[] = [...omittableFields, "body"].sort();
const usual = new Set([...usualNames, "sign"]);

function signedNames(fields: WireFields, profile: Profile): readonly string[] {
  const unsigned: readonly string[] = profile.unsignedFields;
  const further = Object.keys(fields).filter((name) => !usual.has(name));
  const names = further.length === 0 ? usualNames : [...usualNames, ...further].sort();
  return names.filter((name) => isPresent(fields[name]) && !unsigned.includes(name));
}

export function isPresent(value: WireFields[string]): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** Whether the signature covers an envelope field; what it does not cover must not be believed. */
export function isSigned(profile: Profile, field: (typeof omittableFields)[number]): boolean {
  return profile.signedForm !== "body" && !profile.unsignedFields.includes(field);
}
