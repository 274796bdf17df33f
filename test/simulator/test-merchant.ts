import { execFileSync } from "node:child_process";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SimulatorMerchant } from "../../simulator/merchants/merchant.ts";
import type { WireProfileInput } from "../../simulator/wire/profile.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";

/**
 * A merchant whose cryptography is not the simulator's: keys, signatures and block ciphers are openssl's. Only GCM,
 * which openssl's command does not do, is node's.
 */
export interface TestMerchant {
  readonly service: SimulatorMerchant;
  readonly merchantId: string;
  readonly profile: WireProfileInput;
  readonly aesKey: Buffer;
  readonly servicePublicKeyFile: string;
}

export type Fields = Record<string, unknown>;

/** One pair of RSA keys a side for all merchants of a worker: making them takes a while. */
const folder = temporaryFolder("simulator-merchant");
for (const name of ["merchant", "service"]) makeKeys(name);

function makeKeys(name: string): void {
  const privateKey = join(folder, `${name}.pem`);
  openssl(["genrsa", "-out", privateKey, "2048"]);
  openssl(["rsa", "-in", privateKey, "-pubout", "-out", join(folder, `${name}.pub.pem`)]);
}

export function newTestMerchant(
  profile: WireProfileInput = {},
  { keyBytes = 32, merchantId = "test-merchant-0001" } = {},
): TestMerchant {
  const encoding = profile.keyEncoding ?? "base64";
  // As UTF-8 text a key is one byte a character.
  const aesKey =
    encoding === "utf-8"
      ? Buffer.from(randomBytes(keyBytes / 2).toString("hex"))
      : randomBytes(keyBytes);
  const service = {
    merchantId,
    aesKey: aesKey.toString(encoding),
    merchantPublicKey: readFileSync(join(folder, "merchant.pub.pem"), "utf8"),
    servicePrivateKey: readFileSync(join(folder, "service.pem"), "utf8"),
    profile,
  };
  const servicePublicKeyFile = join(folder, "service.pub.pem");
  return { service, merchantId, profile, aesKey, servicePublicKeyFile };
}

/** The merchant after it stored rotated keys. */
export function withNewKeys(
  merchant: TestMerchant,
  keys: { aesKey: string; servicePublicKey: string },
): TestMerchant {
  const servicePublicKeyFile = join(folder, `${randomBytes(8).toString("hex")}.pub.pem`);
  writeFileSync(servicePublicKeyFile, keys.servicePublicKey);
  const aesKey = Buffer.from(keys.aesKey, merchant.profile.keyEncoding ?? "base64");
  return { ...merchant, aesKey, servicePublicKeyFile };
}

/** A request envelope (§2.1); `changed` replaces fields before signing, `forged` after it. */
export function sealRequest(
  merchant: TestMerchant,
  method: string,
  body: unknown,
  { changed = {}, forged = {} }: { changed?: Fields; forged?: Fields } = {},
): string {
  const plaintext = typeof body === "string" ? body : JSON.stringify(body);
  const fields: Fields = {
    merchantId: merchant.merchantId,
    method,
    format: "json",
    charset: "utf-8",
    encryptType: "AES",
    signType: "RSA",
    timestamp: Date.now(),
    ...changed,
  };
  const sealed = encrypt(merchant, plaintext);
  const signed = merchant.profile.signs === "ciphertext" ? sealed : plaintext;
  const text = textToSign(merchant.profile, { ...fields, body: signed });
  const sign = opensslSign(merchant, text).toString(merchant.profile.signatureEncoding ?? "base64");
  return JSON.stringify({ ...fields, sign, body: sealed, ...forged });
}

/** The plaintext of a callback (§2.10), after openssl has verified its signature. Throws if anything is wrong. */
export function openCallback(merchant: TestMerchant, envelope: string): Fields {
  const { sign, ...fields } = JSON.parse(envelope);
  const plaintext = decrypt(merchant, fields.body);
  const signed = merchant.profile.signs === "ciphertext" ? fields.body : plaintext;
  const text = textToSign(merchant.profile, { ...fields, body: signed });
  opensslVerify(merchant, text, Buffer.from(sign, merchant.profile.signatureEncoding ?? "base64"));
  return JSON.parse(plaintext);
}

/** The plaintext of a callback without any check. */
export function decryptCallback(merchant: TestMerchant, envelope: string): string {
  return decrypt(merchant, JSON.parse(envelope).body);
}

function textToSign(profile: WireProfileInput, fields: Fields): string {
  if (profile.signedForm === "body") return String(fields["body"]);
  const names = Object.keys(fields)
    .filter((name) => !profile.unsignedFields?.some((left) => left === name))
    .filter((name) => fields[name] !== "" && fields[name] !== undefined)
    .sort();
  if (profile.signedForm === "canonical-json") return JSON.stringify(fields, names);
  return names.map((name) => `${name}=${fields[name]}`).join("&");
}

function encrypt(merchant: TestMerchant, plaintext: string): string {
  const { cipher = "CBC", iv: placement = "zero", fixedIv } = merchant.profile;
  const iv =
    placement === "prefixed" ? randomBytes(cipher === "GCM" ? 12 : 16) : agreedIv(cipher, fixedIv);
  const sealed =
    cipher === "GCM"
      ? sealGcm(merchant.aesKey, iv, plaintext)
      : openssl(["enc", ...cipherArguments(merchant, cipher, iv)], Buffer.from(plaintext));
  const bytes = placement === "prefixed" ? Buffer.concat([iv, sealed]) : sealed;
  return bytes.toString(merchant.profile.bodyEncoding ?? "base64");
}

function decrypt(merchant: TestMerchant, body: string): string {
  const { cipher = "CBC", iv: placement = "zero", fixedIv } = merchant.profile;
  const bytes = Buffer.from(body, merchant.profile.bodyEncoding ?? "base64");
  const front = placement === "prefixed" ? (cipher === "GCM" ? 12 : 16) : 0;
  const iv = front > 0 ? bytes.subarray(0, front) : agreedIv(cipher, fixedIv);
  const sealed = bytes.subarray(front);
  if (cipher === "GCM") return openGcm(merchant.aesKey, iv, sealed);
  return openssl(["enc", "-d", ...cipherArguments(merchant, cipher, iv)], sealed).toString("utf8");
}

function agreedIv(cipher: string, fixedIv: string | undefined): Buffer {
  return fixedIv === undefined
    ? Buffer.alloc(cipher === "GCM" ? 12 : 16)
    : Buffer.from(fixedIv, "hex");
}

function cipherArguments({ aesKey }: TestMerchant, cipher: string, iv: Buffer): string[] {
  const name = `-aes-${aesKey.length * 8}-${cipher.toLowerCase()}`;
  const key = ["-K", aesKey.toString("hex")];
  return cipher === "ECB" ? [name, ...key] : [name, ...key, "-iv", iv.toString("hex")];
}

function sealGcm(key: Buffer, iv: Buffer, plaintext: string): Buffer {
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  return Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

function openGcm(key: Buffer, iv: Buffer, sealed: Buffer): string {
  const cipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: 16 });
  cipher.setAuthTag(sealed.subarray(-16));
  return cipher.update(sealed.subarray(0, -16), undefined, "utf8") + cipher.final("utf8");
}

function opensslSign(merchant: TestMerchant, text: string): Buffer {
  const key = join(folder, "merchant.pem");
  return openssl(["dgst", ...digestArguments(merchant.profile), "-sign", key], Buffer.from(text));
}

function opensslVerify(merchant: TestMerchant, text: string, signature: Buffer): void {
  const path = join(folder, `${randomBytes(8).toString("hex")}.sign`);
  writeFileSync(path, signature);
  const key = merchant.servicePublicKeyFile;
  const how = [...digestArguments(merchant.profile), "-verify", key, "-signature", path];
  openssl(["dgst", ...how], Buffer.from(text));
}

function digestArguments({
  signatureHash = "SHA-256",
  signaturePadding,
}: WireProfileInput): string[] {
  const hash = `-${signatureHash.replace("-", "").toLowerCase()}`;
  if (signaturePadding !== "PSS") return [hash];
  return [hash, "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"];
}

function openssl(args: readonly string[], input?: Buffer): Buffer {
  return execFileSync("openssl", args, { input, stdio: ["pipe", "pipe", "ignore"] });
}
