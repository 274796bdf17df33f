import { Buffer, isUtf8 } from "node:buffer";
import { omittableFields, type Profile } from "./profile.ts";

/** A value's own text: a parsed number or object does not show which of its JSON spellings was signed. */
interface SourceText {
  readonly source: string;
}

export type WireValue = string | number | boolean | null | SourceText;

/** An envelope's fields as sent. */
export type WireFields = Readonly<Record<string, WireValue | undefined>>;

/**
 * The bytes that a signature covers (§5; the interface does not define them, so the profile does): every field that is
 * present and not empty, except `sign` and those that the profile leaves out, sorted by name; or the body alone. `body` is
 * an argument, because the profile decides whether it is plain or encrypted.
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

/** Whether it is possible to sign such a body: JSON cannot hold bytes that are not UTF-8. */
export function isSignable(body: Buffer, profile: Profile): boolean {
  return profile.signedForm !== "canonical-json" || isUtf8(body);
}

/** The body is added as bytes: only it may be long, or not text. */
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

/** Whether the signature covers an envelope field; a field that it does not cover must not be trusted. */
export function isSigned(profile: Profile, field: (typeof omittableFields)[number]): boolean {
  return profile.signedForm !== "body" && !profile.unsignedFields.includes(field);
}
