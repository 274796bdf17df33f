import { describe, expect, test } from "vitest";
import { type Profile, readProfile } from "../../../shared/envelope/profile.ts";
import { isPresent } from "../../../shared/envelope/signed-bytes.ts";
import {
  type CallbackVector,
  callbackVectors,
  pssVectors,
  requestVectors,
  type WireEnvelope,
} from "../../vectors/vectors.ts";
import { callbackFiles, detected, requestFiles, undetected } from "./run-paycast.ts";

describe("a callback made by another tool", () => {
  test.each(callbackVectors)("$name is given the profile it was made with", async (vector) => {
    const { profile, combinations } = await detected(callbackFiles(vector));
    expect(observable(profile, vector.envelope)).toEqual(
      observable(vector.profile, vector.envelope),
    );
    expect(combinations).toBeGreaterThan(10_000);
  });

  // One field of each, in turn: a search that finds nothing takes long.
  const changed = callbackVectors.map((vector, index) => {
    const fields = ["sign", "body", ...signedFields(vector)];
    return { name: vector.name, field: fields[index % fields.length]!, vector };
  });
  test.each(changed)("$name with another byte in $field is given none", async (candidate) => {
    const { vector, field } = candidate;
    const envelope = { ...vector.envelope, [field]: alter(vector.envelope[field]) };
    await undetected({ ...callbackFiles(vector), callback: JSON.stringify(envelope) });
  });
});

describe("a request made by another tool", () => {
  test.each(requestVectors)("$name is given the profile it was made with", async (vector) => {
    const { profile } = await detected(requestFiles(vector));
    const made = observable(vector.profile, vector.envelope);
    expect(observable(profile, vector.envelope)).toEqual(made);
    expect(readProfile(profile).numbers).toBe(vector.profile["numbers"] ?? "number");
  });
});

/**
 * A profile without what these envelopes cannot show: fields they do not hold, the spelling of bodies, and the style of
 * JSON, because the plaintexts here are written in several. detect-ways.test.ts looks at styles.
 */
function observable(input: Record<string, unknown>, envelope: WireEnvelope): Partial<Profile> {
  const { numbers, goodsAmountName, jsonStyle, ...profile } = readProfile(input);
  const isShown = (name: string) =>
    profile.signedForm === "json-as-sent" ? name in envelope : isPresent(envelope[name]);
  const shown = profile.unsignedFields.filter(isShown).sort();
  return {
    ...profile,
    ...(profile.fixedIv && { fixedIv: profile.fixedIv.toLowerCase() }),
    unsignedFields: profile.signedForm === "body" ? [] : shown,
  };
}

/** Those of the signed fields whose value is free: the others have one that is allowed. */
function signedFields({ profile }: CallbackVector): string[] {
  const { signedForm, unsignedFields } = readProfile(profile);
  const free = ["id", "merchantId", "eventName", "timestamp"] as const;
  return signedForm === "body" ? [] : free.filter((name) => !unsignedFields.includes(name));
}

/** Another digit or letter in the middle, of the same alphabet. */
function alter(value: WireEnvelope[string] | undefined): string | number {
  if (typeof value === "number") return value + 1;
  const text = String(value);
  const middle = Math.floor(text.length / 2);
  const index = [...text].findIndex((letter, at) => at >= middle && /[0-9a-f]/i.test(letter));
  const letter = text[index]!.toLowerCase() === "a" ? "b" : "a";
  const digit = text[index] === "7" ? "8" : "7";
  return text.slice(0, index) + (/\d/.test(text[index]!) ? digit : letter) + text.slice(index + 1);
}

test.each(pssVectors)("a key marked as RSA-PSS finds its profile too: $name", async (vector) => {
  const files = {
    callback: JSON.stringify(vector.envelope),
    "aes-key": vector.aesKey,
    "public-key": vector.publicKey,
  };
  const { signatureHash = "SHA-256", ...profile } = (await detected(files)).profile;
  expect({ signatureHash, ...profile }).toEqual(vector.profile);
});
