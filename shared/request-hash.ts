import {
  createHash,
  createHmac,
  createSecretKey,
  type Hash,
  type Hmac,
  type KeyObject,
} from "node:crypto";

type Bytes = ArrayBuffer | ArrayBufferView;
type Secret = string | Bytes;

/**
 * SHA-256 as the SDK's clients sign with it: a hash, or an HMAC under a secret. The SDK's own class passes secrets as
 * text or bytes. Some versions of Node 24 throw and catch an exception for these in each call, which takes four times as
 * long as the HMAC. A KeyObject has no such cost.
 */
export class RequestHash {
  readonly #secret: Secret | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: Secret) {
    this.#secret = secret;
    this.#hash = start(secret);
  }

  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = start(this.#secret);
  }
}

function start(secret: Secret | undefined): Hash | Hmac {
  return secret === undefined ? createHash("sha256") : createHmac("sha256", keyOf(secret));
}

/** The SDK passes the secret access key itself and, once a day, with a prefix. A function has one such key. */
const textKeys = new Map<string, KeyObject>();
/** Derived keys. The SDK keeps the one of the day, so it is the same object in each call. */
const derivedKeys = new WeakMap<Bytes, KeyObject>();

function keyOf(secret: Secret): KeyObject {
  if (typeof secret === "string") {
    const key = textKeys.get(secret) ?? createSecretKey(secret, "utf8");
    textKeys.set(secret, key);
    return key;
  }
  const key = derivedKeys.get(secret) ?? createSecretKey(bytesOf(secret));
  derivedKeys.set(secret, key);
  return key;
}

function bytesOf(secret: Bytes): Uint8Array {
  if (!ArrayBuffer.isView(secret)) return new Uint8Array(secret);
  return new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength);
}
