import { createCipheriv, createSecretKey, sign as signBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { decryptBody, encryptBody } from "../../../shared/envelope/cipher.ts";
import { type ProfileInput, readProfile } from "../../../shared/envelope/profile.ts";
import { openWith, refusalOf, sealedCallback } from "../../builders/callback.ts";
import { makeMerchant } from "../../builders/merchant.ts";

const keyBytes = Buffer.from("0123456789abcdef0123456789abcdef");
const key = createSecretKey(keyBytes);
const plaintext = '{"status":"success"}';
const decrypt = (bytes: Buffer, profile: ProfileInput) =>
  decryptBody(bytes.toString("base64"), key, readProfile(profile))?.toString();

/** As another implementation would write it: ciphertext, then the tag. */
function gcm(iv: Buffer, options: { authTagLength?: number } = {}): Buffer {
  const authTagLength = options.authTagLength ?? 16;
  const cipher = createCipheriv("aes-256-gcm", keyBytes, iv, { authTagLength });
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

describe("GCM", () => {
  const iv = Buffer.from("00112233445566778899aabb", "hex");
  const prefixed: ProfileInput = { cipher: "GCM", iv: "prefixed" };
  const sealed = Buffer.concat([iv, gcm(iv)]);

  test("opens with the IV in front, all zero or fixed", () => {
    expect(decrypt(sealed, prefixed)).toBe(plaintext);
    expect(decrypt(gcm(Buffer.alloc(12)), { cipher: "GCM", iv: "zero" })).toBe(plaintext);
    const fixed: ProfileInput = { cipher: "GCM", iv: "fixed", fixedIv: iv.toString("hex") };
    expect(decrypt(gcm(iv), fixed)).toBe(plaintext);
  });

  test("a change of any single bit is refused: IV, ciphertext or tag", () => {
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = changed[bit >> 3]! ^ (1 << (bit & 7));
      expect(decrypt(changed, prefixed)).toBeUndefined();
    }
  });

  test("a shortened tag is refused, whether it was cut or made so", () => {
    for (let length = 0; length < sealed.length; length++) {
      expect(decrypt(sealed.subarray(0, length), prefixed)).toBeUndefined();
    }
    for (const authTagLength of [4, 8, 12, 13, 14, 15]) {
      const short = Buffer.concat([iv, gcm(iv, { authTagLength })]);
      expect(decrypt(short, prefixed)).toBeUndefined();
    }
  });

  test("a body without a tag, or with nothing in it, is refused", () => {
    expect(decrypt(Buffer.alloc(0), prefixed)).toBeUndefined();
    expect(decrypt(iv, prefixed)).toBeUndefined();
    expect(decrypt(sealed.subarray(0, -16), prefixed)).toBeUndefined();
    expect(decrypt(Buffer.alloc(15), { cipher: "GCM", iv: "zero" })).toBeUndefined();
  });

  test("the empty plaintext is still checked", () => {
    const sealed = encryptBody("", key, readProfile(prefixed));
    const bytes = Buffer.from(sealed, "base64");
    expect(bytes).toHaveLength(12 + 16);
    expect(decrypt(bytes, prefixed)).toBe("");
    bytes[20] = bytes[20]! ^ 1;
    expect(decrypt(bytes, prefixed)).toBeUndefined();
  });

  test.each<ProfileInput>([
    { cipher: "GCM", iv: "zero" },
    { cipher: "GCM", iv: "fixed", fixedIv: "00".repeat(12) },
  ])("%j is refused for sealing", (profile) => {
    const unsafe = expect.objectContaining({ code: "profile-unsafe", retryable: false });
    expect(() => encryptBody(plaintext, key, readProfile(profile))).toThrow(unsafe);
    expect(() => sealedCallback(makeMerchant({ profile }))).toThrow(unsafe);
  });
});

describe("an IV in front", () => {
  test.each(["CBC", "GCM"] as const)("of %s is new for each message", (cipher) => {
    const profile = readProfile({ cipher, iv: "prefixed" });
    const bodies = Array.from({ length: 20 }, () => encryptBody(plaintext, key, profile));
    const ivs = bodies.map((body) => Buffer.from(body, "base64").subarray(0, 12).toString("hex"));
    expect(new Set(ivs).size).toBe(20);
  });

  test("a body shorter than its IV is refused", () => {
    for (const cipher of ["CBC", "GCM"] as const) {
      for (let length = 0; length <= 16; length++) {
        expect(decrypt(Buffer.alloc(length), { cipher, iv: "prefixed" })).toBeUndefined();
      }
    }
  });
});

describe("CBC and ECB", () => {
  test.each(["CBC", "ECB"] as const)(
    "%s refuses lengths and paddings that PKCS#7 has not",
    (cipher) => {
      const profile: ProfileInput = { cipher };
      const sealed = Buffer.from(encryptBody(plaintext, key, readProfile(profile)), "base64");
      expect(decrypt(sealed, profile)).toBe(plaintext);
      for (let length = 0; length < sealed.length; length++) {
        expect(decrypt(sealed.subarray(0, length), profile)).toBeUndefined();
      }
      const iv = cipher === "CBC" ? Buffer.alloc(16) : null;
      for (const padding of [0, 17, 255]) {
        const unpadded = createCipheriv(`aes-256-${cipher}`, keyBytes, iv).setAutoPadding(false);
        const body = Buffer.concat([unpadded.update(Buffer.alloc(16, padding)), unpadded.final()]);
        expect(decrypt(body, profile)).toBeUndefined();
      }
    },
  );
});

test("a plaintext that is not UTF-8 is refused, even under a good signature", () => {
  const merchant = makeMerchant({
    profile: { signs: "ciphertext", signedForm: "body", cipher: "ECB" },
  });
  const { aesKey, privateKey } = merchant.service;
  const cipher = createCipheriv("aes-256-ecb", aesKey, null);
  const latin1 = Buffer.concat([cipher.update('{"msg":"caf\xe9"}', "latin1"), cipher.final()]);
  const body = latin1.toString("base64");
  const sign = signBytes("sha256", Buffer.from(body), privateKey).toString("base64");
  const attempt = () => openWith(merchant, { ...sealedCallback(merchant), body, sign });
  expect(refusalOf(attempt).reason).toBe("cannot-decrypt");
});
