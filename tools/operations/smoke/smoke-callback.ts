import { Buffer } from "node:buffer";
import { createSecretKey, generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { encryptBody } from "../../../shared/envelope/cipher.ts";
import { defaultProfile } from "../../../shared/envelope/profile.ts";
import type { SealingKeys } from "../../../shared/envelope/seal-envelope.ts";
import { signBytes } from "../../../shared/envelope/signature.ts";
import { signedBytes, type WireFields } from "../../../shared/envelope/signed-bytes.ts";
import type { Target } from "../ports/target.ts";

/** Every order number of a smoke test begins with this. */
export const smokeOrderPrefix = "smoke-";
export const smokeAmount = { value: "0.01", currency: "EUR" } as const;

/** The callback of one run. Its order exists nowhere else. */
export interface SmokeCallback {
  readonly callbackId: string;
  readonly orderNo: string;
  readonly merchantId: string;
  readonly nowMilliseconds: number;
}

export function makeSmokeCallback(merchantId: string, nowMilliseconds: number): SmokeCallback {
  const time = new Date(nowMilliseconds).toISOString().slice(0, 19).replace(/[-:]/g, "");
  const orderNo = `${smokeOrderPrefix}${time}Z-${randomBytes(4).toString("hex")}`;
  return { callbackId: randomUUID(), orderNo, merchantId, nowMilliseconds };
}

/** The envelope (§2.10) of a successful payment (§2.11), as the service would send it with the default profile. */
export function sealSmokeCallback(callback: SmokeCallback, keys: SealingKeys): string {
  const { callbackId: id, merchantId, nowMilliseconds } = callback;
  const plaintext = Buffer.from(JSON.stringify(resultOf(callback)));
  const fields: WireFields = {
    id,
    merchantId,
    eventName: "payment.order.success",
    format: "json",
    charset: "utf-8",
    encryptType: "AES",
    signType: "RSA",
    timestamp: nowMilliseconds,
    body: encryptBody(plaintext, keys.aesKey, keys.profile),
  };
  const sign = signBytes(
    keys.privateKey,
    signedBytes({ fields, text: JSON.stringify(fields) }, plaintext, keys.profile),
    keys.profile,
  );
  return JSON.stringify({ ...fields, sign });
}

function resultOf({ merchantId, orderNo, nowMilliseconds }: SmokeCallback) {
  return {
    merchantId,
    referOrderNo: orderNo,
    transactionId: orderNo.slice(0, 30),
    paymentAmount: smokeAmount.value,
    currency: smokeAmount.currency,
    paymentTime: nowMilliseconds,
    completeTime: nowMilliseconds,
    status: "success",
    msg: "",
  };
}

/** One run's keys. The private key exists only in the memory of the run. */
export interface SmokeKeys {
  readonly sealing: SealingKeys;
  /** What receive-callback needs to open what they seal. */
  readonly secretText: string;
}

export function makeSmokeKeys(): SmokeKeys {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const aesBytes = randomBytes(32);
  const servicePublicKey = publicKey.export({ type: "spki", format: "pem" }).toString();
  return {
    sealing: { profile: defaultProfile, aesKey: createSecretKey(aesBytes), privateKey },
    secretText: JSON.stringify({ aesKey: aesBytes.toString("base64"), servicePublicKey }),
  };
}

/**
 * Stores the keys that open the callback. They need no cleanup, even after a crash: without the private key nobody can
 * sign for them.
 */
export async function putSmokeKeys(
  { keys }: Pick<Target, "keys">,
  secretId: string,
  { secretText }: SmokeKeys,
): Promise<void> {
  await keys.putCurrent(secretId, secretText);
}
