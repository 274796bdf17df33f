import { Buffer } from "node:buffer";
import { constants, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCapture } from "../../cli/detect/capture.ts";
import { makeSearchKeys, type SearchKeys } from "../../cli/detect/keys.ts";
import { readSignature } from "../../cli/detect/read-signature.ts";
import { searchProfiles } from "../../cli/detect/search-profiles.ts";
import { allSignedForms, bytesOf } from "../../cli/detect/signed-forms.ts";
import {
  changesFromDefault,
  cipherModes,
  defaultProfile,
  distanceFromDefault,
  ivPlacements,
  keyEncodings,
  omittableFields,
  type ProfileInput,
  profileSchema,
  readProfile,
  signatureHashes,
  signaturePaddings,
  signedBodies,
  signedForms,
  textEncodings,
} from "../../shared/envelope/profile.ts";
import { aesKey, result, sealed, service } from "./seal-capture.ts";

const presentFields = omittableFields.filter((name) => name !== "method");
const constantIv = "000102030405060708090a0b0c0d0e0f";

const anyProfile: fc.Arbitrary<ProfileInput> = fc
  .record({
    signs: fc.constantFrom(...signedBodies),
    signedForm: fc.constantFrom(...signedForms),
    unsignedFields: fc.subarray(presentFields),
    signatureHash: fc.constantFrom(...signatureHashes),
    signaturePadding: fc.constantFrom(...signaturePaddings),
    signatureEncoding: fc.constantFrom(...textEncodings),
    cipher: fc.constantFrom(...cipherModes),
    iv: fc.constantFrom(...ivPlacements),
    keyEncoding: fc.constantFrom(...keyEncodings),
    bodyEncoding: fc.constantFrom(...textEncodings),
  })
  .map((profile) => (profile.iv === "fixed" ? { ...profile, fixedIv: constantIv } : profile))
  .filter((profile) => profileSchema.safeParse(profile).success)
  // What Paycast does not seal, the vectors have.
  .filter(({ cipher, iv }) => cipher !== "GCM" || iv === "prefixed");

describe("the search", () => {
  test("finds every profile that can seal, and verifies nothing else", () => {
    const property = fc.property(anyProfile, (profile) => {
      const { profiles } = search(sealed({ profile, aesKey: keyText(profile) }), keyText(profile));
      const expected = readProfile({
        ...profile,
        unsignedFields: profile.signedForm === "body" ? [] : profile.unsignedFields,
      });
      expect(profiles.map(changesFromDefault)).toContainEqual(changesFromDefault(expected));
      const [first] = profiles;
      expect(distanceFromDefault(first!)).toBeLessThanOrEqual(distanceFromDefault(expected));
    });
    fc.assert(property, { numRuns: 100 });
  });

  test("counts each profile once: ways to decrypt, signatures, bodies and forms", () => {
    const { combinations, bodyReadings } = search(sealed(), aesKey);
    // IVs that are guessed for more than one reason count once.
    const { fixedIvs } = makeSearchKeys(aesKey, service.publicKey);
    const modes = 5 + new Set(fixedIvs.map(({ bytes }) => bytes.toString("hex"))).size;
    const signatures = 3 * 2 * 3;
    const forms = 2 * 2 ** presentFields.length + 1;
    expect(combinations).toBe(modes * 3 * 3 * signatures * 2 * forms);
    expect(bodyReadings.filter(({ quality }) => quality === "json")).toHaveLength(1);
  });

  test("tries as many different texts as it says", () => {
    const fields = readEnvelopeFields();
    const texts = allSignedForms(fields).map((form) =>
      bytesOf(fields, Buffer.from("the body"), form).toString(),
    );
    expect(new Set(texts).size).toBe(2 * 2 ** presentFields.length + 1);
    expect(texts).toHaveLength(new Set(texts).size);
  });

  test("does not take bytes for decrypted that a signed ciphertext alone vouches for", () => {
    const profile = { signs: "ciphertext", iv: "fixed", fixedIv: "61".repeat(16) } as const;
    const { profiles, match } = search(sealed({ profile }), aesKey);
    expect(match).toMatchObject({ signs: "ciphertext", signedForm: "sorted-pairs" });
    expect(profiles).toEqual([]);
  });

  test("takes text that is no JSON where the signature is over it", () => {
    const { profiles } = search(sealed({ body: "words that are no JSON" }), aesKey);
    expect(changesFromDefault(profiles[0]!)).toEqual({});
  });

  test("gives CBC before ECB where a body of one block is the same in both", () => {
    const { profiles } = search(sealed({ body: { a: 1 } }), aesKey);
    const changes = profiles.map(changesFromDefault);
    expect(changes[0]).toEqual({});
    expect(changes).toContainEqual({ cipher: "ECB" });
  });

  test.each(["0000000000000000", "0102030405060708", "1234567890123456"])(
    "guesses the IV %s, which samples are full of",
    (text) => {
      const fixedIv = Buffer.from(text).toString("hex");
      const { profiles } = search(sealed({ profile: { iv: "fixed", fixedIv } }), aesKey);
      expect(changesFromDefault(profiles[0]!)).toEqual({ iv: "fixed", fixedIv });
    },
  );

  test("decides on an envelope of the largest size within its bound of texts", () => {
    const body = { ...result, msg: "x".repeat(180_000) };
    const { profiles, textsCompared } = search(
      sealed({ body, profile: { unsignedFields: ["signType"] } }),
      aesKey,
    );
    expect(changesFromDefault(profiles[0]!)).toEqual({ unsignedFields: ["signType"] });
    expect(textsCompared).toBeLessThan(10_000);
  });
});

describe("a signature opened with the public key tells of which text it is, as verifying does:", () => {
  const text = "a text that is signed";
  const bitsAndSalts = [1024, 1025, 1031, 1032, 2048].flatMap((bits) =>
    [0, 20, constants.RSA_PSS_SALTLEN_DIGEST, constants.RSA_PSS_SALTLEN_MAX_SIGN].map(
      (saltLength) => [bits, saltLength] as const,
    ),
  );

  test.each(bitsAndSalts)("PSS under a key of %i bits with salt %i", (bits, saltLength) => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: bits });
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    for (const hash of ["SHA-1", "SHA-256"] as const) {
      const name = hash.replace("-", "");
      const made = sign(name, Buffer.from(text), { key: privateKey, padding, saltLength });
      const key = createPublicKey(privateKey);
      const auto = constants.RSA_PSS_SALTLEN_AUTO;
      expect(verify(name, Buffer.from(text), { key, padding, saltLength: auto }, made)).toBe(true);
      expect(schemesOf(made, key, bits, text)).toEqual([`PSS ${hash}`]);
      expect(schemesOf(made, key, bits, `${text}!`)).toEqual([]);
    }
  });

  test.each(["SHA-1", "SHA-256", "SHA-512"] as const)("PKCS1-v1_5 with %s", (hash) => {
    const made = sign(hash.replace("-", ""), Buffer.from(text), service.privateKey);
    expect(schemesOf(made, service.publicKey, 2048, text)).toEqual([`PKCS1-v1_5 ${hash}`]);
    expect(schemesOf(made, service.publicKey, 2048, `${text}!`)).toEqual([]);
  });
});

function schemesOf(made: Buffer, key: SearchKeys["publicKey"], bits: number, text: string) {
  const reading = readSignature(made.toString("hex"), key, bits);
  if (reading.reached !== "recovered") return reading.reached;
  expect(reading.encodings).toEqual(["hex"]);
  return reading.schemes
    .filter((scheme) => scheme.isOf(Buffer.from(text)))
    .map(({ padding, hash }) => `${padding} ${hash}`);
}

function search(envelope: Record<string, unknown>, aesKeyText: string) {
  const capture = readCapture(Buffer.from(JSON.stringify(envelope)), "callback");
  return searchProfiles(capture, makeSearchKeys(aesKeyText, service.publicKey));
}

function keyText({ keyEncoding = defaultProfile.keyEncoding }: ProfileInput): string {
  const texts = { base64: aesKey, hex: "0f".repeat(32), "utf-8": "sixteen letters!" };
  return texts[keyEncoding];
}

function readEnvelopeFields() {
  return readCapture(Buffer.from(JSON.stringify(sealed())), "callback").envelope.fields;
}
