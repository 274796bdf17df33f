import { Buffer } from "node:buffer";
import {
  constants,
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  privateEncrypt,
  randomBytes,
} from "node:crypto";
import { type Profile, type ProfileInput, readProfile } from "../../../shared/envelope/profile.ts";
import type { WireFields } from "../../../shared/envelope/signed-bytes.ts";
import { parseAesKey } from "../../../shared/keys/parse-keys.ts";
import { sealCallback } from "../../builders/seal-callback.ts";
import { keyPairs } from "../../vectors/vectors.ts";

/** The same in each run: under one of ten thousand random keys, a stranger's signature looks like PSS by chance. */
export const service = pairNamed("test-openssl-2048");
export const stranger = pairNamed("test-jdk-2048");
export const aesKey = "3q2+796tvu/erb7v3q2+796tvu/erb7v";
export const merchantId = "208812345678900018";

export const result = {
  merchantId,
  referOrderNo: "SO-77-private",
  transactionId: "4200001923202609220117",
  paymentAmount: 129.9,
  currency: "EUR",
  completeTime: 1_789_999_971_250,
  status: "success",
};

function pairNamed(name: string) {
  const privateKey = createPrivateKey(keyPairs[name]!.private.pkcs8Pem!);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

interface SealOptions {
  readonly profile?: ProfileInput;
  readonly body?: object | string;
  readonly aesKey?: string;
  readonly privateKey?: KeyObject;
  readonly fields?: WireFields;
}

export function sealed(options: SealOptions = {}): Record<string, unknown> {
  const profile: Profile = readProfile(options.profile ?? {});
  return sealCallback(
    {
      id: "7f3c2a90-5b1e-4d7a-9c46-0e8d1f2b3a54",
      merchantId,
      eventName: "payment.order.success",
      result: options.body ?? result,
      nowMilliseconds: 1_790_000_000_000,
      ...(options.fields && { fields: options.fields }),
    },
    {
      profile,
      aesKey: parseAesKey(options.aesKey ?? aesKey, "aesKey", profile.keyEncoding),
      privateKey: options.privateKey ?? service.privateKey,
    },
  );
}

export function pem(key: KeyObject): string {
  const type = key.type === "public" ? "spki" : "pkcs8";
  return key.export({ format: "pem", type }).toString();
}

/** The files of `detect-profile` for an envelope of the service. */
export function filesFor(envelope: Record<string, unknown>): Record<string, string> {
  return {
    callback: JSON.stringify(envelope),
    "aes-key": aesKey,
    "public-key": pem(service.publicKey),
  };
}

/** PSS as RFC 8017, section 9.1.1 makes it, but with SHA-1 in the mask. */
export function signPssWithSha1Mask(signed: string): Buffer {
  const salt = randomBytes(20);
  const sha = (name: string, ...parts: Buffer[]) =>
    createHash(name).update(Buffer.concat(parts)).digest();
  const digest = sha("sha256", Buffer.alloc(8), sha("sha256", Buffer.from(signed)), salt);
  const block = Buffer.concat([Buffer.alloc(202), Buffer.from([1]), salt]);
  for (let index = 0; index < block.length; index++) {
    const counter = Buffer.from([0, 0, 0, Math.floor(index / 20)]);
    block[index]! ^= sha("sha1", digest, counter)[index % 20]!;
  }
  block[0]! &= 0x7f;
  const encoded = Buffer.concat([block, digest, Buffer.from([0xbc])]);
  return privateEncrypt({ key: service.privateKey, padding: constants.RSA_NO_PADDING }, encoded);
}
