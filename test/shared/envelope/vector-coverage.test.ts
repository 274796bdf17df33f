import { Buffer } from "node:buffer";
import { constants, verify } from "node:crypto";
import { expect, test } from "vitest";
import * as profiles from "../../../shared/envelope/profile.ts";
import { signedBytes } from "../../../shared/envelope/signed-bytes.ts";
import {
  type CallbackVector,
  callbackKeysOf,
  callbackVectors,
  keyPairs,
} from "../../vectors/vectors.ts";

const optionalNames = ["format", "charset", "encryptType", "signType"];
const knownNames = ["id", "merchantId", "eventName", "timestamp", "sign", "body", ...optionalNames];
const usableKeys = Object.keys(keyPairs).filter((name) => keyPairs[name]!.bits >= 2048);

/** The axes and their values as the profile itself lists them, and those of the envelopes and the tools. */
const axes: Readonly<Record<string, readonly string[]>> = {
  tool: ["openssl", "jdk", "python"],
  publicKey: usableKeys,
  keyBits: ["128", "192", "256"],
  cipher: profiles.cipherModes,
  iv: profiles.ivPlacements,
  keyEncoding: profiles.keyEncodings,
  bodyEncoding: profiles.textEncodings,
  signatureHash: profiles.signatureHashes,
  signaturePadding: profiles.signaturePaddings,
  signatureEncoding: profiles.textEncodings,
  signedForm: profiles.signedForms,
  signs: profiles.signedBodies,
  bodyInJson: profiles.bodiesInJson,
  unsignedFields: ["none", "one", "several"],
  timestamp: ["number", "string"],
  optionalFields: ["present", "absent", "empty", "null"],
  unknownFields: ["none", "strings", "literals"],
};

/** ECB has no IV, openssl's command line no GCM, and only signed JSON holds a body as JSON. */
const cannotMeet = new Set([
  "cipher=ECB iv=prefixed",
  "cipher=ECB iv=fixed",
  "tool=openssl cipher=GCM",
  "signs=ciphertext bodyInJson=json",
  "signedForm=sorted-pairs bodyInJson=json",
  "signedForm=pairs-as-sent bodyInJson=json",
  "signedForm=body bodyInJson=json",
]);

test("every value of every axis meets every value of every other axis in some vector", () => {
  const met = new Set(callbackVectors.flatMap((vector) => pairsOf(valuesOf(vector))));
  const wanted = pairsOf(Object.entries(axes)).filter((pair) => !cannotMeet.has(pair));
  expect(wanted.length).toBeGreaterThan(900);
  expect(wanted.filter((pair) => !met.has(pair))).toEqual([]);
});

test("no vector holds a pair that is said not to exist", () => {
  const met = callbackVectors.flatMap((vector) => pairsOf(valuesOf(vector)));
  expect(met.filter((pair) => cannotMeet.has(pair))).toEqual([]);
});

test("every field that a callback's profile may leave unsigned is sent and left unsigned by some vector", () => {
  const uncovered = callbackVectors.flatMap(({ profile, envelope }) => {
    const { unsignedFields, signedForm } = profiles.readProfile(profile);
    return signedForm === "body" ? [] : unsignedFields.filter((name) => envelope[name]);
  });
  const omittable = profiles.omittableFields.filter((name) => name !== "method");
  expect(omittable.filter((name) => !uncovered.includes(name))).toEqual([]);
});

test("PSS comes with salts as long as the digest, and with none, with Java's 20 bytes and with the most that fit", () => {
  const found = callbackVectors.filter(({ profile }) => profile["signaturePadding"] === "PSS");
  expect(new Set(found.map(saltOf))).toEqual(
    new Set(["sha1 20", "sha256 32", "sha512 64", "sha256 0", "sha256 20", "sha256 222"]),
  );
});

function wireOf({ envelope }: CallbackVector) {
  return { fields: envelope, text: JSON.stringify(envelope) };
}

/** The hash and the one length of salt under which the signature verifies. */
function saltOf(vector: CallbackVector): string {
  const { profile, servicePublicKey } = callbackKeysOf(vector);
  const { sign, body } = vector.envelope;
  const covered = profile.signs === "plaintext" ? vector.plaintext : String(body);
  const text = signedBytes(wireOf(vector), Buffer.from(covered), profile);
  const hash = profile.signatureHash.replace("-", "").toLowerCase();
  const signature = Buffer.from(String(sign), profile.signatureEncoding);
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const fitting = [0, 20, 32, 64, 222].filter((saltLength) =>
    verify(hash, text, { key: servicePublicKey, padding, saltLength }, signature),
  );
  return `${hash} ${fitting.join()}`;
}

function valuesOf(vector: CallbackVector): [axis: string, values: string[]][] {
  const profile: Record<string, unknown> = { ...profiles.readProfile(vector.profile) };
  const values: Record<string, string> = {
    ...Object.fromEntries(Object.keys(axes).map((axis) => [axis, String(profile[axis])])),
    tool: vector.tool,
    publicKey: vector.publicKey,
    keyBits: String(keyBits(vector)),
    unsignedFields: howMany(profiles.readProfile(vector.profile).unsignedFields.length),
    timestamp: typeof vector.envelope["timestamp"],
    optionalFields: stateOfOptionalFields(vector),
    unknownFields: kindOfUnknownFields(vector),
  };
  return Object.keys(axes).map((axis) => [axis, [values[axis]!]]);
}

function keyBits({ aesKey, profile }: CallbackVector): number {
  const { keyEncoding } = profiles.readProfile(profile);
  return Buffer.from(aesKey, keyEncoding).length * 8;
}

function howMany(count: number): string {
  if (count === 0) return "none";
  return count === 1 ? "one" : "several";
}

function stateOfOptionalFields({ envelope }: CallbackVector): string {
  const states = new Set(
    optionalNames.map((name) => {
      if (!(name in envelope)) return "absent";
      if (envelope[name] === null) return "null";
      return envelope[name] === "" ? "empty" : "present";
    }),
  );
  return states.size === 1 ? [...states].join() : "mixed";
}

function kindOfUnknownFields({ envelope }: CallbackVector): string {
  const unknown = Object.keys(envelope).filter((name) => !knownNames.includes(name));
  if (unknown.length === 0) return "none";
  return unknown.some((name) => typeof envelope[name] === "string") ? "strings" : "literals";
}

/** Every two values of two axes, spelled `axis=value axis=value`. */
function pairsOf(chosen: readonly [axis: string, values: readonly string[]][]): string[] {
  return chosen.flatMap(([axis, values], at) =>
    chosen
      .slice(at + 1)
      .flatMap(([other, others]) =>
        values.flatMap((value) => others.map((second) => `${axis}=${value} ${other}=${second}`)),
      ),
  );
}
