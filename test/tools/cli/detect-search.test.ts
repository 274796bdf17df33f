import { Buffer } from "node:buffer";
import {
  constants,
  generateKeyPairSync,
  type KeyObject,
  privateEncrypt,
  publicDecrypt,
  sign,
} from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonStyles } from "../../../shared/envelope/json-style.ts";
import {
  bodiesInJson,
  changesFromDefault,
  cipherModes,
  defaultProfile,
  distanceFromDefault,
  isJsonForm,
  ivPlacements,
  keyEncodings,
  omittableFields,
  type Profile,
  type ProfileInput,
  profileSchema,
  readProfile,
  signatureHashes,
  signaturePaddings,
  signedBodies,
  signedForms,
  textEncodings,
} from "../../../shared/envelope/profile.ts";
import { signedBytes } from "../../../shared/envelope/signed-bytes.ts";
import { readCapture } from "../../../tools/cli/detect/capture.ts";
import { makeSearchKeys } from "../../../tools/cli/detect/keys.ts";
import { readSignature } from "../../../tools/cli/detect/read-signature.ts";
import { type OnProgress, searchProfiles } from "../../../tools/cli/detect/search-profiles.ts";
import { allSignedForms, distinctForms } from "../../../tools/cli/detect/signed-forms.ts";
import { draws } from "../../setup/draws.ts";
import { aesKey, result, sealed, service } from "./seal-capture.ts";

const presentFields = omittableFields.filter((name) => name !== "method");
const constantIv = "000102030405060708090a0b0c0d0e0f";

const anyProfile: fc.Arbitrary<ProfileInput> = fc
  .record({
    signs: fc.constantFrom(...signedBodies),
    signedForm: fc.constantFrom(...signedForms),
    bodyInJson: fc.constantFrom(...bodiesInJson),
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
      const expected = withoutIrrelevant(readProfile(profile));
      expect(profiles.map(changesFromDefault)).toContainEqual(changesFromDefault(expected));
      const [first] = profiles;
      expect(distanceFromDefault(first!)).toBeLessThanOrEqual(distanceFromDefault(expected));
    });
    fc.assert(property, { numRuns: draws(100) });
  });

  test("counts each profile once: ways to decrypt, signatures, bodies and forms", () => {
    const { combinations, bodyReadings } = search(sealed(), aesKey);
    // IVs that are guessed for more than one reason count once.
    const { fixedIvs } = makeSearchKeys(aesKey, service.publicKey);
    const modes = 5 + new Set(fixedIvs.map(({ bytes }) => bytes.toString("hex"))).size;
    const signatures = 3 * 2 * 3;
    expect(combinations).toBe(
      modes * 3 * 3 * signatures * (formsOf("plaintext") + formsOf("ciphertext")),
    );
    expect(bodyReadings.filter(({ quality }) => quality === "json")).toHaveLength(1);
  });

  test("tries as many different texts as it says", () => {
    const { envelope } = readCapture(Buffer.from(JSON.stringify(sealed())), "callback");
    const bytes = Buffer.from('{"url":"https://é.example/?a=<1>&b=\'2\'"}');
    for (const signs of signedBodies) {
      const kind = signs === "plaintext" ? "json" : "ciphertext";
      const textOf = (form: Partial<Profile>) =>
        signedBytes(envelope, bytes, { ...defaultProfile, ...form, signs }).toString();
      expect(allSignedForms(envelope, kind)).toHaveLength(formsOf(signs));
      const tried = distinctForms(envelope, { signs, kind, bytes }).map(textOf);
      expect(new Set(tried)).toEqual(new Set(allSignedForms(envelope, kind).map(textOf)));
    }
  });

  test("tries no text twice where styles of JSON do not differ", () => {
    const { envelope } = readCapture(Buffer.from(JSON.stringify(sealed())), "callback");
    const forms = distinctForms(envelope, {
      signs: "plaintext",
      kind: "json",
      bytes: Buffer.from('{"a":1}'),
    });
    // Canonical JSON differs in its spaces: body as text or as JSON, each with and without them.
    expect(forms).toHaveLength((2 + 4 + 2) * 2 ** presentFields.length + 1);
  });

  test("does not take bytes for decrypted that a signed ciphertext alone vouches for", () => {
    const profile = { signs: "ciphertext", iv: "fixed", fixedIv: "61".repeat(16) } as const;
    const { profiles, match } = search(sealed({ profile }), aesKey);
    expect(match).toMatchObject({
      signedBody: { signs: "ciphertext" },
      form: { signedForm: "sorted-pairs" },
    });
    expect(profiles).toEqual([]);
  });

  test("takes broken JSON where a GCM tag vouches for it", () => {
    const profile = { cipher: "GCM", iv: "prefixed", signs: "ciphertext" } as const;
    const { profiles } = search(sealed({ profile, body: '{"cut off' }), aesKey);
    expect(profiles.map(changesFromDefault)).toContainEqual(profile);
  });

  test("verifies no profile whose plaintext is not the one that was signed", () => {
    // Other IVs of digits give another text.
    const fixedIv = Buffer.from("1234567890123456").toString("hex");
    const envelope = sealed({ profile: { iv: "fixed", fixedIv } });
    const { bodyReadings, refusals } = search(envelope, aesKey);
    expect(new Set(bodyReadings.map(({ text }) => text)).size).toBeGreaterThan(1);
    expect(refusals).toEqual([]);
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

  test("gives profiles that fit equally in the order of their distance from the default", () => {
    const profile = { signedForm: "canonical-json", bodyInJson: "json" } as const;
    const { profiles } = search(sealed({ body: { a: 1 }, profile }), aesKey);
    const distances = profiles.map(distanceFromDefault);
    expect(new Set(distances).size).toBeGreaterThan(1);
    expect(distances).toEqual(distances.toSorted((left, right) => left - right));
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
    const envelope = sealed({ body, profile: { unsignedFields: ["signType"] } });
    let most = 0;
    const { profiles } = search(envelope, aesKey, (_compared, texts) => {
      most = texts;
    });
    expect(changesFromDefault(profiles[0]!)).toEqual({ unsignedFields: ["signType"] });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(10_000);
  });
});

describe("a signature opened with the public key tells of which text it is, as verifying does:", () => {
  const text = Buffer.from("a text that is signed");
  const { RSA_PSS_SALTLEN_DIGEST, RSA_PSS_SALTLEN_MAX_SIGN } = constants;

  function schemesOf(made: Buffer, key: KeyObject, keyBits: number, signed: Buffer) {
    const reading = readSignature(made.toString("hex"), key, keyBits);
    const schemes = reading.reached === "recovered" ? reading.schemes : [];
    return schemes.filter(({ isOf }) => isOf(signed)).map(({ scheme }) => scheme);
  }

  // A modulus whose bits are no multiple of eight has another first byte.
  test.each([1024, 1025, 1031])(
    "PSS under a key of %i bits, with salts of all lengths",
    (keyBits) => {
      const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: keyBits });
      for (const saltLength of [0, 20, RSA_PSS_SALTLEN_DIGEST, RSA_PSS_SALTLEN_MAX_SIGN]) {
        for (const signatureHash of ["SHA-1", "SHA-256"]) {
          const key = { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
          const made = sign(signatureHash.replace("-", ""), text, key);
          const scheme = { signaturePadding: "PSS", signatureHash };
          expect(schemesOf(made, publicKey, keyBits, text)).toEqual([scheme]);
          expect(schemesOf(made, publicKey, keyBits, Buffer.from("another text"))).toEqual([]);
        }
      }
    },
  );

  test("PSS has the last byte that RFC 8017 names, and nothing else is taken for it", () => {
    const padding = constants.RSA_NO_PADDING;
    const pss = { key: service.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING };
    const encoded = publicDecrypt({ key: service.publicKey, padding }, sign("SHA256", text, pss));
    const again = (lastByte: number) => {
      encoded[encoded.length - 1] = lastByte;
      const made = privateEncrypt({ key: service.privateKey, padding }, encoded);
      return schemesOf(made, service.publicKey, 2048, text);
    };
    expect(again(0xbc)).toEqual([{ signaturePadding: "PSS", signatureHash: "SHA-256" }]);
    expect(again(0xcc)).toEqual([]);
  });

  test.each(["SHA-1", "SHA-256", "SHA-512"])("PKCS1-v1_5 with %s", (signatureHash) => {
    const made = sign(signatureHash.replace("-", ""), text, service.privateKey);
    const scheme = { signaturePadding: "PKCS1-v1_5", signatureHash };
    expect(schemesOf(made, service.publicKey, 2048, text)).toEqual([scheme]);
    expect(schemesOf(made, service.publicKey, 2048, Buffer.from("another text"))).toEqual([]);
  });
});

function search(envelope: Record<string, unknown>, aesKeyText: string, onProgress?: OnProgress) {
  const capture = readCapture(Buffer.from(JSON.stringify(envelope)), "callback");
  return searchProfiles(capture, makeSearchKeys(aesKeyText, service.publicKey), onProgress);
}

function keyText({ keyEncoding = defaultProfile.keyEncoding }: ProfileInput): string {
  const texts = { base64: aesKey, hex: "0f".repeat(32), "utf-8": "sixteen letters!" };
  return texts[keyEncoding];
}

/** How many forms a profile can express: pairs in two orders, JSON in two orders, the body alone. */
function formsOf(signs: Profile["signs"]): number {
  const writings = 2 + 2 * jsonStyles.length * (signs === "plaintext" ? 2 : 1);
  return writings * 2 ** presentFields.length + 1;
}

/** The profile without settings that change nothing in its form. */
function withoutIrrelevant(profile: Profile): Profile {
  const unsignedFields = profile.signedForm === "body" ? [] : profile.unsignedFields;
  const bodyInJson = isJsonForm(profile) ? profile.bodyInJson : "text";
  return { ...profile, unsignedFields, bodyInJson };
}
