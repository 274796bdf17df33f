import * as crypto from "node:crypto";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { ProfileInput } from "../../../shared/envelope/profile.ts";
import { openWith, refusalOf, sealedCallback } from "../../builders/callback.ts";
import { makeMerchant, type TestMerchant } from "../../builders/merchant.ts";

// Other test files of this worker have loaded the same modules with the real functions, and others will.
vi.hoisted(() => vi.resetModules());
afterAll(() => {
  vi.doUnmock("node:crypto");
  vi.resetModules();
});
const thrown = vi.hoisted(() => ({ finals: 0 }));
vi.mock("node:crypto", async (importOriginal) => {
  const original = await importOriginal<typeof crypto>();
  const createDecipheriv = (...given: Parameters<typeof crypto.createDecipheriv>) => {
    const decipher = original.createDecipheriv(...given);
    const final = decipher.final.bind(decipher);
    const countThrown = () => {
      try {
        return final();
      } catch (error) {
        thrown.finals += 1;
        throw error;
      }
    };
    return Object.assign(decipher, { final: countThrown });
  };
  return {
    ...original,
    createDecipheriv,
    verify: vi.fn(original.verify),
    createPublicKey: vi.fn(original.createPublicKey),
  };
});

const verify = vi.mocked(crypto.verify);
beforeEach(() => {
  verify.mockClear();
});

/** How a refused attempt went, as far as a stranger with a clock could tell. */
function wayOf(merchant: TestMerchant, changes: Record<string, unknown>) {
  const sealed = sealedCallback(merchant);
  verify.mockClear();
  const { reason, ...face } = refusalOf(() => openWith(merchant, { ...sealed, ...changes }));
  const verified = verify.mock.calls.map(([, signed, , signature]) => ({
    signedBytes: Buffer.from(signed.buffer, signed.byteOffset, signed.byteLength).length,
    signatureBytes: signature.byteLength,
  }));
  return { reason, face: { ...face }, verifications: verified.length, verified };
}

/** A body of four blocks that decrypts, to whatever, and whose padding is wrong or, under GCM, its tag. */
function spoiledBody({ service, profile }: TestMerchant): string {
  const iv = Buffer.alloc(profile.cipher === "GCM" ? 12 : 16);
  const head = profile.iv === "prefixed" ? [iv] : [];
  if (profile.cipher === "GCM")
    return Buffer.concat([...head, Buffer.alloc(64)]).toString("base64");
  const name = `aes-256-${profile.cipher.toLowerCase()}`;
  const cipher = crypto
    .createCipheriv(name, service.aesKey, profile.cipher === "ECB" ? null : iv)
    .setAutoPadding(false);
  const blocks = cipher.update(Buffer.alloc(64));
  return Buffer.concat([...head, blocks]).toString("base64");
}

describe.each<ProfileInput>([
  { cipher: "CBC" },
  { cipher: "CBC", iv: "prefixed" },
  { cipher: "GCM", iv: "prefixed" },
  { cipher: "ECB", signaturePadding: "PSS" },
])("decrypt, then verify, with %j", (profile) => {
  const merchant = makeMerchant({ profile });
  const wrongSignature = Buffer.alloc(256, 7).toString("base64");
  const bodyOf = (result: string) => sealedCallback(merchant, { result })["body"];

  test("a body that does not decrypt is verified as one that does", () => {
    const badBlock = wayOf(merchant, { body: spoiledBody(merchant), sign: wrongSignature });
    const badLength = wayOf(merchant, { body: "AAAA", sign: wrongSignature });
    const notBase64 = wayOf(merchant, { body: "?", sign: wrongSignature });
    const badSignature = wayOf(merchant, { body: bodyOf("{}"), sign: wrongSignature });
    expect(badSignature).toMatchObject({ reason: "wrong-signature", verifications: 1 });
    for (const { verified, ...failed } of [badBlock, badLength, notBase64]) {
      const { verified: _verified, ...expected } = badSignature;
      expect(failed).toEqual({ ...expected, reason: "cannot-decrypt" });
    }
  });

  test("a wrong signature costs the same exception as a wrong tag, which only GCM has", () => {
    const exceptionsOf = (changes: Record<string, unknown>) => {
      thrown.finals = 0;
      return { reason: wayOf(merchant, changes).reason, exceptions: thrown.finals };
    };
    const exceptions = profile.cipher === "GCM" ? 1 : 0;
    const wrongTag = exceptionsOf({ body: spoiledBody(merchant) });
    expect(wrongTag).toEqual({ reason: "cannot-decrypt", exceptions });
    const wrongSign = exceptionsOf({ sign: wrongSignature });
    expect(wrongSign).toEqual({ reason: "wrong-signature", exceptions });
  });

  test("the same bytes are hashed after wrong padding as after right padding, give or take a block", () => {
    const right = wayOf(merchant, { body: bodyOf("x".repeat(48)), sign: wrongSignature });
    const wrong = wayOf(merchant, { body: spoiledBody(merchant), sign: wrongSignature });
    const difference = wrong.verified[0]!.signedBytes - right.verified[0]!.signedBytes;
    expect(Math.abs(difference)).toBeLessThanOrEqual(16);
  });

  test.each(["?", "AAAA", "\n", "A".repeat(2_000), Buffer.alloc(255, 7).toString("base64")])(
    "a sign that is no signature of this key is verified as one that is: %j",
    (sign) => {
      const wrong = wayOf(merchant, { sign: wrongSignature });
      expect(wayOf(merchant, { sign })).toEqual(wrong);
      expect(wrong.verified).toMatchObject([{ signatureBytes: 256 }]);
    },
  );

  test("also under the signature of an authentic callback", () => {
    expect(wayOf(merchant, { body: "AAAA" })).toMatchObject({
      reason: "cannot-decrypt",
      verifications: 1,
    });
  });
});

test("verify, then decrypt, decrypts nothing that was not signed", () => {
  const merchant = makeMerchant({ profile: { signs: "ciphertext" } });
  expect(wayOf(merchant, { body: "AAAA" })).toMatchObject({
    reason: "wrong-signature",
    verifications: 1,
  });
});

describe("the algorithm comes from the profile, never from the request", () => {
  test("whatever the envelope says, the same call is made", () => {
    const merchant = makeMerchant({ profile: { signatureHash: "SHA-512" } });
    const sealed = sealedCallback(merchant);
    for (const claim of [{}, { alg: "none" }, { signatureHash: "SHA-1" }, { signType: null }]) {
      verify.mockClear();
      try {
        openWith(merchant, { ...sealed, ...claim });
      } catch {
        // Extra fields break the signature; how it was looked at is what counts.
      }
      expect(verify.mock.calls.map(([algorithm]) => algorithm)).toEqual(["sha512"]);
    }
  });

  test.each(["none", "HMAC", "RSA2", "SHA1withRSA"])(
    "signType %s changes nothing: forged it is refused, and signed it is read",
    (signType) => {
      const merchant = makeMerchant();
      expect(wayOf(merchant, { signType })).toMatchObject({
        reason: "wrong-signature",
        verifications: 1,
      });
      const signed = sealedCallback(merchant, { fields: { signType } });
      expect(openWith(merchant, signed).content.kind).toBe("text");
    },
  );
});

test("opening parses no key", () => {
  const merchant = makeMerchant();
  const sealed = sealedCallback(merchant);
  vi.mocked(crypto.createPublicKey).mockClear();
  openWith(merchant, sealed);
  expect(crypto.createPublicKey).not.toHaveBeenCalled();
  for (const [, , key] of verify.mock.calls) expect(key).toHaveProperty("type", "public");
});
