import { createCipheriv, createDecipheriv, createSecretKey } from "node:crypto";
import { describe, expect, test } from "vitest";
import { decryptBody, encryptBody } from "../../../shared/envelope/cipher.ts";
import { type ProfileInput, readProfile } from "../../../shared/envelope/profile.ts";
import { sealedCallback } from "../../builders/callback.ts";
import { makeMerchant } from "../../builders/merchant.ts";

const keyBytes = Buffer.from("0123456789abcdef0123456789abcdef");
const key = createSecretKey(keyBytes);
const plaintext = '{"status":"success"}';
const encrypt = (profile: ProfileInput, text = plaintext) =>
  encryptBody(Buffer.from(text), key, readProfile(profile));
const decrypt = (sealed: Buffer, profile: ProfileInput) => {
  const { isIntact, bytes } = decryptBody(sealed.toString("base64"), key, readProfile(profile));
  return isIntact ? bytes.toString() : undefined;
};

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

  test("the empty plaintext is still checked", () => {
    const sealed = encrypt(prefixed, "");
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
    expect(() => encrypt(profile)).toThrow(unsafe);
    expect(() => sealedCallback(makeMerchant({ profile }))).toThrow(unsafe);
  });
});

describe("an IV in front", () => {
  test.each(["CBC", "GCM"] as const)("of %s is new for each message", (cipher) => {
    const bodies = Array.from({ length: 20 }, () => encrypt({ cipher, iv: "prefixed" }));
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
    "%s takes and refuses the paddings that OpenSSL does",
    (cipher) => {
      const iv = cipher === "CBC" ? Buffer.alloc(16) : null;
      const seal = (block: Buffer) => {
        const sealing = createCipheriv(`aes-256-${cipher}`, keyBytes, iv).setAutoPadding(false);
        return Buffer.concat([sealing.update(Buffer.alloc(16, 7)), sealing.update(block)]);
      };
      const byOpenssl = (sealed: Buffer) => {
        const decipher = createDecipheriv(`aes-256-${cipher}`, keyBytes, iv);
        try {
          return Buffer.concat([decipher.update(sealed), decipher.final()]).toString();
        } catch {
          return undefined;
        }
      };
      for (let count = 0; count <= 17; count++) {
        for (let changed = 0; changed <= 16; changed++) {
          const block = Buffer.alloc(16, 0x41).fill(count, Math.max(0, 16 - count));
          block[15] = count;
          if (changed < 16) block[changed]! ^= 0x20;
          expect(decrypt(seal(block), { cipher }), `${count} ${changed}`).toBe(
            byOpenssl(seal(block)),
          );
        }
      }
    },
  );

  test.each(["CBC", "ECB"] as const)(
    "%s refuses a body that was cut, or that has a byte too many",
    (cipher) => {
      const profile: ProfileInput = { cipher };
      const sealed = Buffer.from(encrypt(profile), "base64");
      expect(decrypt(sealed, profile)).toBe(plaintext);
      for (let length = 0; length < sealed.length; length++) {
        expect(decrypt(sealed.subarray(0, length), profile)).toBeUndefined();
      }
      expect(decrypt(Buffer.concat([sealed, Buffer.alloc(1)]), profile)).toBeUndefined();
    },
  );
});
