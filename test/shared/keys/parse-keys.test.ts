import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { describe, expect, test } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { parseAesKey, parsePrivateKey, parsePublicKey } from "../../../shared/keys/parse-keys.ts";
import { servicePair } from "../../builders/merchant.ts";
import { expectToHide, thrownBy } from "../../builders/thrown-by.ts";
import { keyPairs } from "../../vectors/vectors.ts";

const { publicKey, privateKey } = servicePair();
const weak = generateKeyPairSync("rsa", { modulusLength: 1024 });
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" });

const rules = (minimumRsaBits: number) => ({
  minimumRsaBits,
  signaturePadding: "PKCS1-v1_5" as const,
});

const publicPem = (type: "spki" | "pkcs1", key = publicKey) =>
  key.export({ type, format: "pem" }).toString();
const privatePem = (type: "pkcs8" | "pkcs1", key = privateKey) =>
  key.export({ type, format: "pem" }).toString();
const bare = (pem: string) => pem.replace(/-----[^-]+-----/g, "").replace(/\s/g, "");

/** The spellings in which merchants get one and the same key. */
function spellingsOf(pem: string): [string, string][] {
  return [
    ["PEM", pem],
    ["PEM with CRLF", pem.replaceAll("\n", "\r\n")],
    [
      "PEM indented, with text around it",
      `Bag Attributes\n  ${pem.replaceAll("\n", "\n  ")}\nthe end`,
    ],
    ["PEM on one line", pem.replaceAll("\n", " ")],
    ["base64 of the DER", bare(pem)],
    ["base64 in lines", bare(pem).replace(/(.{64})/g, "$1\n")],
  ];
}

/** The error, after making sure that nothing of the key's text is anywhere in it. */
function errorOf(parse: () => KeyObject, text: string): PaycastError {
  const error = thrownBy(PaycastError, parse);
  expectToHide(error, bare(text).match(/.{8}/g) ?? [text]);
  return error;
}

describe.each(["spki", "pkcs1"] as const)("a public key in %s", (type) => {
  test.each(spellingsOf(publicPem(type)))("is read as %s", (_how, text) => {
    const key = parsePublicKey(text, "servicePublicKey", rules(2048));
    expect(key.equals(publicKey)).toBe(true);
    expect(key.type).toBe("public");
  });
});

describe.each(["pkcs8", "pkcs1"] as const)("a private key in %s", (type) => {
  test.each(spellingsOf(privatePem(type)))("is read as %s", (_how, text) => {
    expect(parsePrivateKey(text, "merchantPrivateKey", rules(2048)).equals(privateKey)).toBe(true);
  });

  test("is refused where a public one belongs", () => {
    for (const [, text] of spellingsOf(privatePem(type))) {
      const error = errorOf(() => parsePublicKey(text, "servicePublicKey", rules(2048)), text);
      expect(error.message).toBe("servicePublicKey must be a public key, but is a private one.");
    }
  });
});

describe.each(Object.entries(keyPairs))("the key %s, as other tools write it", (_name, pair) => {
  test.each(Object.entries(pair.public))("is read as a public key in %s", (_form, text) => {
    const key = parsePublicKey(text, "servicePublicKey", rules(1024));
    expect(key.equals(createPublicKey(pair.public.spkiPem))).toBe(true);
  });

  test.each(Object.entries(pair.private))("is read as a private key in %s", (_form, text) => {
    const key = parsePrivateKey(text, "merchantPrivateKey", rules(1024));
    expect(key.equals(createPrivateKey(pair.private.pkcs8Pem))).toBe(true);
  });
});

describe("an RSA key that is too short", () => {
  test("is refused, with its size and the profile's setting", () => {
    const text = publicPem("spki", weak.publicKey);
    const error = errorOf(() => parsePublicKey(text, "servicePublicKey", rules(2048)), text);
    expect(error).toMatchObject({ code: "keys-invalid", retryable: false });
    expect(error.message).toMatch(
      /^servicePublicKey has 1024 bits, fewer than the 2048 .*minimumRsaBits/,
    );
    const secret = privatePem("pkcs8", weak.privateKey);
    expect(errorOf(() => parsePrivateKey(secret, "field", rules(2048)), secret).message).toContain(
      "1024",
    );
  });

  test("is read where the profile says so, to the bit", () => {
    const text = publicPem("spki", weak.publicKey);
    expect(parsePublicKey(text, "field", rules(1024)).equals(weak.publicKey)).toBe(true);
    expect(() => parsePublicKey(text, "field", rules(1025))).toThrow(PaycastError);
  });
});

describe("what is no RSA key", () => {
  const texts: [string, string][] = [
    ["an elliptic curve", curve.publicKey.export({ type: "spki", format: "pem" }).toString()],
    ["a word", "hunter2hunter2"],
    ["nothing", ""],
    ["base64 of something else", Buffer.alloc(300, 7).toString("base64")],
    ["half a key", bare(publicPem("spki")).slice(0, 200)],
    ["a PEM with nothing in it", "-----BEGIN PUBLIC KEY-----\n\n-----END PUBLIC KEY-----"],
    [
      "a PEM of something else",
      `-----BEGIN PUBLIC KEY-----\n${"QUJD".repeat(40)}\n-----END PUBLIC KEY-----`,
    ],
    ["a PEM with a character too many", publicPem("spki").replace("MII", "MII*")],
  ];

  test.each(texts)("is refused: %s", (_what, text) => {
    const error = errorOf(
      () => parsePublicKey(text, "servicePublicKey", rules(2048)),
      text || "\0",
    );
    expect(error.code).toBe("keys-invalid");
    expect(error.message).toMatch(/^servicePublicKey must be an RSA key/);
    errorOf(() => parsePrivateKey(text, "merchantPrivateKey", rules(2048)), text || "\0");
  });

  test("a public key, or one under a password, is refused where a private one belongs", () => {
    const options = {
      type: "pkcs8",
      format: "pem",
      cipher: "aes-256-cbc",
      passphrase: "x",
    } as const;
    const locked = privateKey.export(options).toString();
    for (const text of [publicPem("spki"), publicPem("pkcs1"), locked]) {
      const error = errorOf(() => parsePrivateKey(text, "merchantPrivateKey", rules(2048)), text);
      expect(error.message).toMatch(/^merchantPrivateKey must be an RSA key/);
    }
  });
});

describe("an AES key", () => {
  const texts = [
    "0123456789abcdef",
    "0123456789abcdef01234567",
    "0123456789abcdef0123456789abcdef",
  ];

  test.each(texts)("of %s is read in each encoding", (text) => {
    const bytes = Buffer.from(text);
    for (const encoding of ["base64", "hex"] as const) {
      const key = parseAesKey(` ${bytes.toString(encoding)}\n`, "aesKey", encoding);
      expect(key.export()).toEqual(bytes);
    }
    expect(parseAesKey(text, "aesKey", "utf-8").export()).toEqual(bytes);
  });

  test("utf-8 counts bytes and not characters", () => {
    expect(parseAesKey("ñ".repeat(8), "aesKey", "utf-8").symmetricKeySize).toBe(16);
    expect(() => parseAesKey("ñ".repeat(16 + 1), "aesKey", "utf-8")).toThrow("34");
  });

  test.each([
    [
      "of another length",
      "U2VjcmV0U2VjcmV0",
      "base64",
      "16, 24 or 32 bytes long in base64, but has 12",
    ],
    ["not in base64", "not*base64*not*base64", "base64", "must be base64 text"],
    [
      "without its padding",
      Buffer.alloc(16, 7).toString("base64").slice(0, -2),
      "base64",
      "base64 text",
    ],
    ["not in hex", "hunter2hunter2hunter2hunter2zzzz", "hex", "must be hex text"],
    ["with nothing in it", "", "hex", "but has 0"],
    ["with a line break at its end", `${"k".repeat(32)}\n`, "utf-8", "but has 33"],
  ] as const)("%s is refused without being shown", (_what, text, encoding, message) => {
    const error = errorOf(() => parseAesKey(text, "aesKey", encoding), text || "\0");
    expect(error.code).toBe("keys-invalid");
    expect(error.message).toContain("aesKey");
    expect(error.message).toContain(message);
  });
});
