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
import { readCapture } from "../../../tools/cli/detect/capture.ts";
import { makeSearchKeys } from "../../../tools/cli/detect/keys.ts";
import { detect } from "../../../tools/cli/detect/result-rows.ts";
import { detected, undetected } from "./run-paycast.ts";
import {
  aesKey,
  filesFor,
  merchantId,
  result,
  sealed,
  service,
  signPssWithSha1Mask,
  stranger,
} from "./seal-capture.ts";

const otherAesKey = "AAAAAAAAAAAAAAAAAAAAAA==";
const otherRsaKey = { publicKey: stranger.publicKey };
const fields = { ...sealed(), sign: undefined, body: "-" };
const text = signedBytes(
  { fields, text: "" },
  Buffer.from(JSON.stringify(result)),
  defaultProfile,
).toString();

function rowsOf(
  envelope: Record<string, unknown>,
  { publicKey = service.publicKey, aesKeyText = aesKey } = {},
) {
  const capture = readCapture(Buffer.from(JSON.stringify(envelope)), "callback");
  const keys = makeSearchKeys(aesKeyText, publicKey);
  return detect(capture, { keys, options: "" }).rows;
}

function reasonsOf(...args: Parameters<typeof rowsOf>): string[] {
  return rowsOf(...args).map(({ code }) => code);
}

function signedBy(make: Buffer): Record<string, unknown> {
  return { ...sealed(), sign: make.toString("base64") };
}

describe("where no profile fits, a row says why:", () => {
  test("body and signature are in no encoding, which is one row", () => {
    const masked = "*** masked ***";
    expect(reasonsOf({ ...sealed(), body: masked, sign: masked })).toEqual(["not-encoded"]);
    expect(reasonsOf({ ...sealed(), body: masked })).toEqual(["not-encoded"]);
    expect(reasonsOf({ ...sealed(), sign: masked })).toEqual(["not-encoded"]);
  });

  test("the AES key does not decrypt the body, whose signed text is then not known", () => {
    expect(reasonsOf(sealed(), { aesKeyText: otherAesKey })).toEqual(["wrong-aes-key"]);
  });

  test("the AES key is wrong, while the signature over the ciphertext is right", () => {
    const envelope = sealed({ profile: { signs: "ciphertext" } });
    expect(reasonsOf(envelope, { aesKeyText: otherAesKey })).toEqual(["wrong-aes-key"]);
  });

  test("an IV is unknown, and with it the profile is found", async () => {
    const fixedIv = "9f8e7d6c5b4a39281706f5e4d3c2b1a0";
    const profile = { iv: "fixed", fixedIv } as const;
    const files = filesFor(sealed({ profile }));
    expect(await undetected(files)).toMatchObject([{ code: "unknown-iv" }]);
    const binary = Buffer.from(fixedIv, "hex");
    for (const iv of [fixedIv, `${binary.toString("base64")}\n`, binary]) {
      expect((await detected({ ...files, iv })).profile).toEqual(profile);
    }
  });

  test("an IV of letters is unknown, although it leaves the first block readable", () => {
    const fixedIv = Buffer.from("an IV of letters").toString("hex");
    const envelope = sealed({ profile: { iv: "fixed", fixedIv } });
    expect(reasonsOf(envelope)).toContain("unknown-iv");
  });

  test("an IV is unknown where the first block ends inside a character", () => {
    const profile = { iv: "fixed", fixedIv: "9f8e7d6c5b4a39281706f5e4d3c2b1a0" } as const;
    const envelope = sealed({ profile, body: { ab: "é".repeat(40) } });
    expect(reasonsOf(envelope)).toEqual(["unknown-iv"]);
  });

  test("the body decrypts to text that is not JSON", () => {
    const body = "not JSON at all, though it is long";
    const envelope = sealed({ body, privateKey: stranger.privateKey });
    expect(reasonsOf(envelope)).toEqual(["not-json", "wrong-rsa-key"]);
  });

  test("the body decrypts under GCM to something that is not UTF-8", () => {
    const iv = randomBytes(12);
    const cipher = createCipheriv("aes-192-gcm", Buffer.from(aesKey, "base64"), iv);
    const gbk = Buffer.concat([cipher.update(Buffer.from("b6a9b5a5", "hex")), cipher.final()]);
    const body = Buffer.concat([iv, gbk, cipher.getAuthTag()]).toString("base64");
    expect(reasonsOf({ ...sealed(), body })).toEqual(["not-json"]);
  });

  test("a signed ciphertext holds text that is not JSON, which a callback may not", () => {
    const profile = { cipher: "GCM", iv: "prefixed", signs: "ciphertext" } as const;
    expect(reasonsOf(sealed({ profile, body: "words that are no JSON" }))).toEqual(["not-json"]);
  });

  test("another RSA key made the signature, or one of another length", () => {
    expect(reasonsOf(sealed(), otherRsaKey)).toEqual(["wrong-rsa-key"]);
    expect(reasonsOf(signedBy(randomBytes(128)))).toEqual(["wrong-rsa-key"]);
  });

  test.each([
    ["PKCS1-v1_5 with SHA-384", () => sign("sha384", Buffer.from(text), service.privateKey)],
    ["PKCS1-v1_5 with MD5", () => sign("md5", Buffer.from(text), service.privateKey)],
    [
      "PKCS1-v1_5 with a digest that does not name its hash",
      () => privateEncrypt(service.privateKey, createHash("sha256").update(text).digest()),
    ],
    ["PSS with SHA-256 and a mask (MGF1) of SHA-1", () => signPssWithSha1Mask(text)],
  ])("the RSA key made the signature as %s", (what, make) => {
    expect(rowsOf(signedBy(make()))).toMatchObject([
      { code: "unknown-scheme", result: expect.stringContaining(`: ${what}`) },
    ]);
  });

  // Only zero bytes before the salt show the hash for certain; the longest salt, which is the default, leaves none.
  const pss = {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  };
  test.each([
    ["PKCS1-v1_5 with SHA-256", {}],
    ["PSS with SHA-256", pss],
  ])("the RSA key made the signature as %s, of an unknown text", (made, padding) => {
    const key = { key: service.privateKey, ...padding };
    const envelope = signedBy(sign("sha256", Buffer.from(`${text}&key=shared`), key));
    expect(rowsOf(envelope)).toMatchObject([
      { code: "unknown-text", result: expect.stringContaining(`: ${made}`) },
    ]);
  });

  test("the signature is right, but its text fits other envelopes too", () => {
    const envelope = sealed({ fields: { charset: "utf-8&format=json" } });
    expect(reasonsOf(envelope)).toEqual(["ambiguous-text"]);
  });

  test("the signature is right, but leaves the merchant open and the body names another", () => {
    const envelope = sealed({ profile: { unsignedFields: ["merchantId"] } });
    const other = merchantId.replace("8", "9");
    expect(reasonsOf({ ...envelope, merchantId: other })).toEqual(["merchant-differs"]);
  });
});
