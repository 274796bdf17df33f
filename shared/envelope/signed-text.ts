import type { omittableFields, Profile } from "./profile.ts";

export type WireValue = string | number | boolean | null;

/** An envelope's fields as they stand on the wire. */
export type WireFields = Readonly<Record<string, WireValue | undefined>>;

/**
 * The text that a signature covers (§5; the interface does not show it, so the profile says it): every
 * field that is present and not empty, but `sign` and those the profile leaves out, sorted by name.
 * `body` is passed in, since the profile decides whether it stands there plain or encrypted.
 */
export function signedText(fields: WireFields, body: string, profile: Profile): string {
  if (profile.signedForm === "body") return body;
  const names = signedNames(fields, profile);
  const signedValue = (name: string) => (name === "body" ? body : fields[name]);
  if (profile.signedForm === "sorted-pairs") {
    return names.map((name) => `${name}=${signedValue(name)}`).join("&");
  }
  const members = names.map(
    (name) => `${JSON.stringify(name)}:${JSON.stringify(signedValue(name))}`,
  );
  return `{${members.join(",")}}`;
}

function signedNames(fields: WireFields, profile: Profile): string[] {
  const unsigned: readonly string[] = profile.unsignedFields;
  return Object.keys(fields)
    .filter((name) => name !== "sign" && isPresent(fields[name]) && !unsigned.includes(name))
    .sort();
}

export function isPresent(value: WireFields[string]): value is string | number | boolean {
  return value !== undefined && value !== null && value !== "";
}

/** Whether the signature covers an envelope field; what it does not cover must not be believed. */
export function isSigned(profile: Profile, field: (typeof omittableFields)[number]): boolean {
  return profile.signedForm !== "body" && !profile.unsignedFields.includes(field);
}
