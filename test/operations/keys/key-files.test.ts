import { execFileSync } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { merchantPair, privatePem, publicPem, servicePair } from "../../builders/merchant.ts";
import { writtenFile } from "../../cli/run-paycast.ts";
import { keyPairs, pssVectors } from "../../vectors/vectors.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { keyDesk } from "./key-desk.ts";

const operated = useOperatedStack();
const desk = keyDesk(operated);
const folder = mkdtempSync(join(tmpdir(), "paycast-openssl-"));
afterAll(() => rmSync(folder, { recursive: true }));

const openssl = (command: string) =>
  execFileSync("openssl", command.split(" "), { cwd: folder, stdio: "pipe" });
const made = (name: string) => readFileSync(join(folder, name), "utf8");

openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out service.key");
openssl("pkey -in service.key -pubout -out service.pem");
openssl("req -x509 -key service.key -subj /CN=service -days 1 -out service.crt");
openssl("pkcs8 -topk8 -in service.key -passout pass:x -out encrypted.pem");
openssl("rsa -in service.key -traditional -aes256 -passout pass:x -out encrypted-pkcs1.pem");
openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ec.key");
openssl("pkey -in ec.key -pubout -out ec.pem");
openssl("pkey -in service.key -pubout -outform DER -out service.der");

const aesKey = "3q2+796tvu/erb7v3q2+796tvu/erb7v";

const refusal = (message: string) => ({ code: 2, err: expect.stringContaining(message) });

async function set(files: Record<string, string | Buffer>) {
  const merchant = await desk.newMerchant();
  const args = Object.entries(files).flatMap(([option, content]) => [
    `--${option}`,
    writtenFile(content),
  ]);
  return { ...(await desk.keys("set", merchant.merchantId, ...args, "--yes")), merchant };
}

describe("a service's public key", () => {
  const pair = keyPairs["test-openssl-2048"]!;
  test.each([
    ["PEM of openssl", () => made("service.pem")],
    ["a certificate", () => made("service.crt")],
    ["PKCS#1 PEM", () => pair.public.pkcs1Pem],
    ["bare base64", () => pair.public.spkiBase64],
    ["bare base64 PKCS#1", () => pair.public.pkcs1Base64],
    [
      "PEM with the wrong label",
      () => pair.public.spkiPem.replaceAll("PUBLIC KEY", "RSA PUBLIC KEY"),
    ],
    [
      "PEM with a byte order mark and Windows line ends",
      () => `\uFEFF${made("service.pem").replaceAll("\n", "\r\n")}`,
    ],
  ])("in the form of %s is taken, and the functions can read it", async (_form, text) => {
    const { code, err, merchant } = await set({
      "aes-key": `${aesKey}\n`,
      "service-public-key": text(),
    });
    expect({ code, err }).toEqual({ code: 0, err: "Target: the local stack\n" });
    const { out } = await desk.keys("check", merchant.merchantId, "--hours", "1");
    expect(out).toContain("callback keys, current: valid, tried");
  });

  test("has the fingerprint that openssl computes", async () => {
    const { out } = await set({ "aes-key": aesKey, "service-public-key": made("service.pem") });
    const digest = openssl("dgst -sha256 -r service.der").toString().slice(0, 24);
    expect(out.replaceAll(":", "")).toContain(digest);
  });

  test.each([
    ["a private key", () => made("service.key"), "must be a public key, but is a private one"],
    ["an EC key", () => made("ec.pem"), "must be an RSA key"],
    [
      "a key of 1024 bits",
      () => keyPairs["test-too-short-1024"]!.public.spkiPem,
      "has 1024 bits, fewer than the 2048",
    ],
    [
      "raw bytes",
      () => readFileSync(join(folder, "service.der")),
      'convert it with "openssl base64 -A"',
    ],
    [
      "a key of SSH",
      () => "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC me@here",
      "ssh-keygen -e -m PKCS8",
    ],
    [
      "half a certificate",
      () => made("service.crt").slice(0, 200),
      "is a certificate that cannot be read",
    ],
    ["nothing", () => "", "is empty"],
    ["something else", () => "hello", "must be an RSA key in PEM or in base64 DER"],
  ])("that is %s is refused, and nothing is stored", async (_what, content, message) => {
    const { code, err, merchant } = await set({
      "aes-key": aesKey,
      "service-public-key": content(),
    });
    expect({ code, err }).toEqual(refusal(message));
    expect(await desk.stagesOf(merchant.callbackKeys)).toEqual({});
  });

  test("that is the merchant's own is refused: callbacks are signed by the service", async () => {
    const files = {
      "service-public-key": publicPem(merchantPair()),
      "merchant-private-key": privatePem(merchantPair()),
    };
    expect(await set({ "aes-key": aesKey, ...files })).toMatchObject(
      refusal("ask it for its public key"),
    );
  });

  test("of RSA-PSS is taken with a profile that signs so, and refused without", async () => {
    const { publicKey, aesKey: key, profile } = pssVectors[0]!;
    const files = { "aes-key": key, "service-public-key": publicKey };
    expect(await set(files)).toMatchObject(refusal("RSA-PSS"));
    expect(await set({ ...files, profile: JSON.stringify(profile) })).toMatchObject({ code: 0 });
  });
});

describe("a merchant's private key", () => {
  const service = { "aes-key": aesKey, "service-public-key": publicPem(servicePair()) };
  const pair = keyPairs["test-openssl-2048"]!;
  test.each(["pkcs8Pem", "pkcs1Pem", "pkcs8Base64", "pkcs1Base64"] as const)(
    "as %s goes into the request keys and not into the callback keys",
    async (form) => {
      const key = pair.private[form]!;
      const { code, merchant } = await set({ ...service, "merchant-private-key": key });
      expect(code).toBe(0);
      expect(JSON.parse(await desk.textOf(merchant.requestKeys)).merchantPrivateKey).toBe(
        key.trimEnd(),
      );
      expect(await desk.textOf(merchant.callbackKeys)).not.toContain("PRIVATE");
    },
  );

  test.each([
    ["encrypted.pem", "is protected by a passphrase"],
    ["encrypted-pkcs1.pem", "openssl pkey -in FILE -out PLAIN_FILE"],
    ["service.pem", "must be the merchant's private key, but is a public one"],
    ["service.crt", "must be the merchant's private key, but is a public one"],
    ["ec.key", "must be an RSA key"],
  ])("in %s is refused", async (file, message) => {
    const { code, err, merchant } = await set({ ...service, "merchant-private-key": made(file) });
    expect({ code, err }).toEqual(refusal(message));
    expect(await desk.stagesOf(merchant.callbackKeys)).toEqual({});
  });

  test("whose parts do not fit together is refused: it makes wrong signatures", async () => {
    const jwk = servicePair().privateKey.export({ format: "jwk" });
    const other = merchantPair().privateKey.export({ format: "jwk" });
    const parts = { d: other.d!, dp: other.dp!, dq: other.dq! };
    const mixed = createPrivateKey({ key: { ...jwk, ...parts }, format: "jwk" });
    const key = mixed.export({ type: "pkcs8", format: "pem" }).toString();
    expect(await set({ "aes-key": aesKey, "merchant-private-key": key })).toMatchObject(
      refusal("makes signatures that its own public half does not verify"),
    );
  });

  test("in a file of callback keys is refused", async () => {
    const secret = {
      aesKey,
      servicePublicKey: made("service.pem"),
      merchantPrivateKey: made("service.key"),
    };
    expect(await set({ "callback-keys": JSON.stringify(secret) })).toMatchObject(
      refusal("The callback keys must not hold merchantPrivateKey"),
    );
  });
});

describe("an AES key", () => {
  const rsa = { "service-public-key": publicPem(servicePair()) };
  const hex = "00112233445566778899aabbccddeeff";
  test.each([
    ["of the wrong length", "c2hvcnQ=", "must be 16, 24 or 32 bytes long in base64"],
    ["in hex, with a profile that says base64", `${hex}${hex}`, "It is an AES key in hex"],
    ["with a typing error", "3q2+796tvu/erb7v!", "must be base64 text"],
  ])("%s is refused, with what to do", async (_what, key, message) => {
    const { code, err } = await set({ ...rsa, "aes-key": key });
    expect({ code, err }).toEqual(refusal(message));
    expect(err).not.toContain(key);
  });

  test("that could be meant in hex is warned of; with the profile it is read so", async () => {
    const { out } = await set({ ...rsa, "aes-key": hex });
    expect(out).toContain("it looks like hex (128 bits)");
    const profiled = await set({ ...rsa, "aes-key": hex, profile: '{"keyEncoding":"hex"}' });
    expect(profiled.out).toMatch(/AES key +128 bits/);
    expect(profiled.out).not.toContain("Warning");
  });
});

test.each([
  ["callback-keys", "{", "The file of the callback keys is not JSON."],
  ["callback-keys", '{"aesKey":"x"}', "servicePublicKey must be a string"],
  [
    "callback-keys",
    '{"aesKey":"x","servicePublicKey":"y","aeskey":"z"}',
    "it has unknown fields: aeskey",
  ],
  ["request-keys", "[]", "The file of the request keys: it must be an object"],
  ["profile", "{", "The file of the profile is not JSON."],
  ["aes-key", aesKey, "The keys are not complete."],
])("--%s with %s is refused with the field's name", async (option, content, message) => {
  expect(await set({ [option]: content })).toMatchObject(refusal(message));
});

test("a profile that is not valid is refused by its field", async () => {
  const files = {
    "aes-key": aesKey,
    "service-public-key": made("service.pem"),
    profile: '{"cipher":"DES"}',
  };
  expect(await set(files)).toMatchObject(refusal("cipher must be one of"));
});
