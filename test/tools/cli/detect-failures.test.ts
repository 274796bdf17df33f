import { Buffer } from "node:buffer";
import {
  constants,
  createCipheriv,
  createHash,
  privateEncrypt,
  randomBytes,
  sign,
} from "node:crypto";
import { describe, expect, test } from "vitest";
import { defaultProfile } from "../../../shared/envelope/profile.ts";
import { signedBytes } from "../../../shared/envelope/signed-bytes.ts";
import { detected, undetected } from "./run-paycast.ts";
import {
  aesKey,
  filesFor,
  merchantId,
  pem,
  result,
  sealed,
  service,
  signPssWithSha1Mask,
  stranger,
} from "./seal-capture.ts";

const otherAesKey = "AAAAAAAAAAAAAAAAAAAAAA==";
const plaintext = JSON.stringify(result);
const fields = { ...sealed(), sign: undefined, body: "-" };
const text = signedBytes({ fields, text: "" }, Buffer.from(plaintext), defaultProfile).toString();

describe("where no profile fits, the body's part says how far it came:", () => {
  test("it is in no encoding", async () => {
    const { body } = await undetected(filesFor({ ...sealed(), body: "*** masked ***" }));
    expect(body).toEqual({
      reached: "not-encoded",
      sentence: "It is neither base64 nor base64url nor hex.",
    });
  });

  test("it is encoded, but the key does not decrypt it", async () => {
    const files = { ...filesFor(sealed()), "aes-key": otherAesKey };
    const { body, signature, checks } = await undetected(files);
    expect(body.reached).toBe("not-decrypted");
    expect(body.sentence).toMatch(/^It reads as base64 \(\d+ bytes\), but nothing decrypts it/);
    expect(body.sentence).toContain("read as base64 or utf-8.");
    expect(checks[0]).toContain("Is it the AES key of this merchant");
    expect(signature.reached).toBe("text-unknown");
    expect(signature.sentence).toContain("without the decrypted body");
  });

  test("it is no whole number of blocks, so that only GCM is left", async () => {
    const body = randomBytes(100).toString("hex");
    const { checks } = await undetected(filesFor({ ...sealed(), body }));
    expect(checks.join()).toContain("no multiple of 16, so the cipher is not CBC or ECB");
  });

  test("all but the first block decrypts, and the IV is asked for; with it the profile is found", async () => {
    const fixedIv = "9f8e7d6c5b4a39281706f5e4d3c2b1a0";
    const profile = { iv: "fixed", fixedIv } as const;
    const files = filesFor(sealed({ profile }));
    const { body, checks } = await undetected(files);
    expect(body.reached).toBe("all-but-first-block");
    expect(body.sentence).toContain("keyEncoding base64, except for its first 16 bytes");
    expect(checks[0]).toContain("--iv");
    const binary = Buffer.from(fixedIv, "hex");
    for (const iv of [fixedIv, `${binary.toString("base64")}\n`, binary]) {
      expect((await detected({ ...files, iv })).profile).toEqual(profile);
    }
  });

  test("an IV of letters, which leaves the first block readable, is asked for too", async () => {
    const fixedIv = Buffer.from("an IV of letters").toString("hex");
    const { body } = await undetected(filesFor(sealed({ profile: { iv: "fixed", fixedIv } })));
    expect(body.reached).toBe("all-but-first-block");
  });

  test("an IV is asked for where the first block ends inside a character, too", async () => {
    const profile = { iv: "fixed", fixedIv: "9f8e7d6c5b4a39281706f5e4d3c2b1a0" } as const;
    const envelope = sealed({ profile, body: { ab: "é".repeat(40) } });
    const { body } = await undetected(filesFor(envelope));
    expect(body.reached).toBe("all-but-first-block");
  });

  test("it decrypts to text that is not JSON", async () => {
    const envelope = sealed({
      body: "not JSON at all, though it is long",
      privateKey: stranger.privateKey,
    });
    const { body, signature } = await undetected(filesFor(envelope));
    expect(body.reached).toBe("not-json");
    expect(body.sentence).toContain("cipher CBC, iv zero, keyEncoding base64, bodyEncoding base64");
    expect(signature.reached).toBe("other-key");
  });

  test("it decrypts under GCM to something that is not UTF-8", async () => {
    const iv = randomBytes(12);
    const cipher = createCipheriv("aes-192-gcm", Buffer.from(aesKey, "base64"), iv);
    const gbk = Buffer.concat([cipher.update(Buffer.from("b6a9b5a5", "hex")), cipher.final()]);
    const body = Buffer.concat([iv, gbk, cipher.getAuthTag()]).toString("base64");
    const found = await undetected(filesFor({ ...sealed(), body }));
    expect(found.body.reached).toBe("not-utf-8");
    expect(found.body.sentence).toContain("cipher GCM, iv prefixed");
  });

  test("it decrypts to JSON, whose field names are named and whose values are not", async () => {
    const { body } = await undetected(filesFor(sealed({ privateKey: stranger.privateKey })));
    expect(body.reached).toBe("json");
    expect(body.sentence).toContain(`fields: ${Object.keys(result).join(", ")}.`);
    expect(body.sentence).not.toContain(result.referOrderNo);
  });

  test("names that could steer a terminal are escaped, and a crowd of them is cut", async () => {
    const many = Object.fromEntries([...Array(50).keys()].map((n) => [`f${n}`, n]));
    const hostile = { "\u001b[31m\u009b": 1, ...many };
    const { body } = await undetected(
      filesFor(sealed({ body: hostile, privateKey: stranger.privateKey })),
    );
    expect(body.sentence).toContain("\\u001b[31m\\u009b, f0, f1,");
    expect(body.sentence).toContain("and 21 more");
  });
});

describe("where no profile fits, the signature's part says how far it came:", () => {
  test("it is in no encoding", async () => {
    const { signature } = await undetected(filesFor({ ...sealed(), sign: "<SIGNATURE>" }));
    expect(signature.reached).toBe("not-encoded");
  });

  test("it is not as long as the key", async () => {
    const { signature } = await undetected(
      filesFor({ ...sealed(), sign: randomBytes(128).toString("base64") }),
    );
    expect(signature).toEqual({
      reached: "wrong-length",
      sentence: "It has 128 bytes, but this key of 2048 bits makes signatures of 256.",
    });
  });

  test("another key made it", async () => {
    const files = { ...filesFor(sealed()), "public-key": pem(stranger.publicKey) };
    const { body, signature, checks } = await undetected(files);
    expect([body.reached, signature.reached]).toEqual(["json", "other-key"]);
    expect(checks[0]).toContain("Is --public-key the service's public key?");
  });

  test.each([
    ["PKCS1-v1_5 with SHA-384", () => sign("sha384", Buffer.from(text), service.privateKey)],
    ["PKCS1-v1_5 with MD5", () => sign("md5", Buffer.from(text), service.privateKey)],
    [
      "PKCS1-v1_5 with a digest that does not name its hash",
      () => privateEncrypt(service.privateKey, createHash("sha256").update(text).digest()),
    ],
    ["PSS with SHA-256 and a mask (MGF1) of SHA-1", () => signPssWithSha1Mask(text)],
  ])("this key made it as %s, which no profile expresses", async (what, make) => {
    const envelope = { ...sealed(), sign: make().toString("base64") };
    const { signature } = await undetected(filesFor(envelope));
    expect(signature.reached).toBe("not-expressible");
    expect(signature.sentence).toContain(`as ${what}, which no profile can express.`);
  });

  // Only zero bytes before the salt show the hash for certain; the longest salt, which is the default, leaves none.
  const pss = {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  };
  test.each([
    ["PKCS1-v1_5 with SHA-256", {}],
    ["PSS with SHA-256", pss],
  ])("this key made it as %s, but of an unknown text", async (made, padding) => {
    const key = { key: service.privateKey, ...padding };
    const signature = sign("sha256", Buffer.from(`${text}&key=shared`), key);
    const found = await undetected(filesFor({ ...sealed(), sign: signature.toString("base64") }));
    expect([found.body.reached, found.signature.reached]).toEqual(["json", "text-unknown"]);
    expect(found.signature.sentence).toContain(`made with this key, as ${made}`);
    expect(found.signature.sentence).toMatch(/none of the [1-9][\d,]+ texts/);
    expect(found.checks.join()).toContain("Ask the service for the exact text");
  });

  test("it is right over the ciphertext, and only the AES key is wrong", async () => {
    const envelope = sealed({ profile: { signs: "ciphertext" } });
    const { signature } = await undetected({ ...filesFor(envelope), "aes-key": otherAesKey });
    expect(signature.reached).toBe("matched");
    expect(signature.sentence).toContain(
      "signedForm sorted-pairs, signs ciphertext. Only the body",
    );
  });

  test("it is right, but leaves the merchant open and the body names another", async () => {
    const envelope = sealed({ profile: { unsignedFields: ["merchantId"] } });
    const { signature } = await undetected(
      filesFor({ ...envelope, merchantId: merchantId.replace("8", "9") }),
    );
    expect(signature.reached).toBe("merchant-differs");
  });
});
