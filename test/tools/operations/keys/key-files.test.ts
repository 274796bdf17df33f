import { execFileSync } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterAll, describe, expect, test } from "vitest";
import { openSecrets } from "../../../../tools/operations/aws/open-secrets.ts";
import { planNewKeys } from "../../../../tools/operations/keys/set-keys.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import type { GivenKeys } from "../../../../tools/operations/secrets/compose-keys.ts";
import { merchantPair, privatePem, publicPem, servicePair } from "../../../builders/merchant.ts";
import { keyPairs, pssVectors } from "../../../vectors/vectors.ts";
import { memoryMerchant, secretWith, textOf } from "./memory-merchant.ts";

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

/** Secrets that were never set. */
const target = {
  stack: {
    merchants: [{ merchantId: "M1", callbackKeys: "callback", requestKeys: "request" }],
    gateway: { unavailable: "It only receives callbacks." },
  },
  clock: { now: Date.now },
  keys: openSecrets({ send: async () => ({}) } as unknown as SecretsManagerClient, Date.now),
} as unknown as Target;

const set = async (given: GivenKeys) => {
  const { changes, warnings } = await planNewKeys(target, "set", { merchant: "M1", ...given });
  const { keys, text } = changes[0]!.added!;
  return { facts: keys.facts, text, changes, warnings };
};

const refusal = async (given: GivenKeys): Promise<string> =>
  await set(given).then(
    () => "taken",
    ({ message }: Error) => message,
  );

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
  ])("in the form of %s is taken, and the functions can read it", async (_form, text) => {
    expect((await set({ aesKey, servicePublicKey: text() })).facts.rsaBits).toBe(2048);
  });

  test("has the fingerprint that openssl computes", async () => {
    const { facts } = await set({ aesKey, servicePublicKey: made("service.pem") });
    const digest = openssl("dgst -sha256 -r service.der").toString().slice(0, 24);
    expect(facts.fingerprint.replaceAll(":", "")).toBe(digest);
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
      "a key of SSH",
      () => "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC me@here",
      "ssh-keygen -e -m PKCS8",
    ],
    [
      "half a certificate",
      () => made("service.crt").slice(0, 200),
      "is a certificate that cannot be read",
    ],
    ["something else", () => "hello", "must be an RSA key in PEM or in base64 DER"],
  ])("that is %s is refused", async (_what, content, message) => {
    expect(await refusal({ aesKey, servicePublicKey: content() })).toContain(message);
  });

  test("that is the merchant's own is refused: callbacks are signed by the service", async () => {
    const pair = merchantPair();
    const given = { servicePublicKey: publicPem(pair), merchantPrivateKey: privatePem(pair) };
    expect(await refusal({ aesKey, ...given })).toContain("ask it for its public key");
  });

  test("of RSA-PSS is taken with a profile that signs so, and refused without", async () => {
    const { publicKey: servicePublicKey, aesKey: key, profile } = pssVectors[0]!;
    const given = { aesKey: key, servicePublicKey };
    expect(await refusal(given)).toContain("RSA-PSS");
    expect(await refusal({ ...given, profile: JSON.stringify(profile) })).toBe("taken");
  });
});

describe("a merchant's private key", () => {
  const service = { aesKey, servicePublicKey: publicPem(servicePair()) };
  const pair = keyPairs["test-openssl-2048"]!;
  test.each(["pkcs8Pem", "pkcs1Pem", "pkcs8Base64", "pkcs1Base64"] as const)(
    "as %s goes into the request keys and not into the callback keys",
    async (form) => {
      const merchantPrivateKey = pair.private[form]!;
      const { changes } = await set({ ...service, merchantPrivateKey });
      const [callback, request] = changes.map(({ added }) => JSON.parse(added!.text));
      expect(callback).toEqual(service);
      expect(request).toEqual({ aesKey, merchantPrivateKey });
    },
  );

  test.each([
    ["encrypted.pem", "is protected by a passphrase"],
    ["encrypted-pkcs1.pem", "openssl pkey -in FILE -out PLAIN_FILE"],
    ["service.pem", "must be the merchant's private key, but is a public one"],
    ["service.crt", "must be the merchant's private key, but is a public one"],
    ["ec.key", "must be an RSA key"],
  ])("in %s is refused", async (file, message) => {
    expect(await refusal({ ...service, merchantPrivateKey: made(file) })).toContain(message);
  });

  test("whose parts do not fit together is refused: it makes wrong signatures", async () => {
    const jwk = servicePair().privateKey.export({ format: "jwk" });
    const other = merchantPair().privateKey.export({ format: "jwk" });
    const parts = { d: other.d!, dp: other.dp!, dq: other.dq! };
    const mixed = createPrivateKey({ key: { ...jwk, ...parts }, format: "jwk" });
    const merchantPrivateKey = mixed.export({ type: "pkcs8", format: "pem" }).toString();
    expect(await refusal({ aesKey, merchantPrivateKey })).toContain(
      "makes signatures that its own public half does not verify",
    );
  });

  test("in a file of callback keys is refused", async () => {
    const secret = { ...service, merchantPrivateKey: made("service.key") };
    expect(await refusal({ callbackKeys: JSON.stringify(secret) })).toContain(
      "The callback keys must not hold merchantPrivateKey",
    );
  });
});

describe("an AES key", () => {
  const servicePublicKey = publicPem(servicePair());
  const hex = "00112233445566778899aabbccddeeff";
  test.each([
    ["of the wrong length", "c2hvcnQ=", "must be 16, 24 or 32 bytes long in base64"],
    ["in hex, with a profile that says base64", `${hex}${hex}`, "It is an AES key in hex"],
    ["with a typing error", "3q2+796tvu/erb7v!", "must be base64 text"],
  ])("%s is refused, with what to do", async (_what, key, message) => {
    const refused = await refusal({ servicePublicKey, aesKey: key });
    expect(refused).toContain(message);
    expect(refused).not.toContain(key);
  });

  test("that could be meant in hex is warned of; with the profile it is read so", async () => {
    const { warnings } = await set({ servicePublicKey, aesKey: hex });
    expect(warnings).toEqual([expect.stringContaining("it looks like hex (128 bits)")]);
    const profiled = await set({ servicePublicKey, aesKey: hex, profile: '{"keyEncoding":"hex"}' });
    expect(profiled).toMatchObject({ facts: { aesBits: 128 }, warnings: [] });
  });
});

test("parts that are not given stay, and a new AES key goes into both secrets", async () => {
  const once = secretWith({ current: "A, other profile" });
  const { target } = memoryMerchant({ callback: once, request: once });
  const { changes } = await planNewKeys(target, "set", { merchant: "M1", aesKey });
  expect(changes.map(({ added }) => JSON.parse(added!.text))).toEqual(
    (["callback", "request"] as const).map((kind) => ({
      ...JSON.parse(textOf("A, other profile", kind)),
      aesKey,
    })),
  );
});

test("a profile that opens and cannot seal is taken for callback keys, and refused for request keys", async () => {
  const profile = '{"cipher":"GCM","iv":"zero"}';
  const key = Buffer.alloc(32, 1).toString("base64");
  const given = { aesKey: key, profile };
  expect(await refusal({ ...given, servicePublicKey: publicPem(servicePair()) })).toBe("taken");
  const { merchantPrivateKey } = JSON.parse(textOf("A", "request"));
  expect(await refusal({ ...given, merchantPrivateKey })).toContain("The new request keys: ");
});

test.each<[GivenKeys, string]>([
  [{ callbackKeys: "{" }, "The file of the callback keys is not JSON."],
  [{ callbackKeys: '{"aesKey":"x"}' }, "servicePublicKey must be a string"],
  [
    { callbackKeys: '{"aesKey":"x","servicePublicKey":"y","aeskey":"z"}' },
    "it has unknown fields: aeskey",
  ],
  [{ requestKeys: "[]" }, "The file of the request keys: it must be an object"],
  [{ profile: "{" }, "The file of the profile is not JSON."],
  [{ aesKey }, "The keys are not complete."],
  [
    { aesKey, servicePublicKey: made("service.pem"), profile: '{"cipher":"DES"}' },
    "cipher must be one of",
  ],
])("%j is refused with the field's name", async (given, message) => {
  expect(await refusal(given)).toContain(message);
});
