import {
  createDecipheriv,
  createHmac,
  createPublicKey,
  createSecretKey,
  hash,
  type KeyObject,
  verify,
} from "node:crypto";
import type { SampleMessage } from "./sample-message.ts";

/*
 * The floor: the same work written by hand for this one message and one known profile. Nothing is checked but the
 * signature, and no other input would be read correctly.
 */
export type Cipher = "CBC" | "GCM";

interface Opened {
  readonly id: string;
  readonly merchantId: string;
  readonly eventName: string;
  readonly timestamp: number;
  readonly text: string;
  readonly result: { readonly referOrderNo: string };
}

/** From the bytes of a request to the result object. */
export function makeOpeningByHand(
  sample: SampleMessage,
  cipher: Cipher,
  envelope: object,
): () => Opened {
  const bytes = Buffer.from(JSON.stringify(envelope));
  const aesKey = createSecretKey(sample.aesKey);
  const publicKey = createPublicKey(sample.publicPem);
  return () => {
    const {
      id,
      merchantId,
      eventName,
      format,
      charset,
      encryptType,
      signType,
      timestamp,
      ...rest
    } = JSON.parse(bytes.toString());
    const sealed = Buffer.from(rest.body, "base64");
    const plain = cipher === "CBC" ? openCbc(sealed, aesKey) : openGcm(sealed, aesKey);
    const text = plain.toString();
    const signed = `body=${text}&charset=${charset}&encryptType=${encryptType}&eventName=${eventName}&format=${format}&id=${id}&merchantId=${merchantId}&signType=${signType}&timestamp=${timestamp}`;
    if (!verify("sha256", Buffer.from(signed), publicKey, Buffer.from(rest.sign, "base64"))) {
      throw new Error("The signature is wrong.");
    }
    return { id, merchantId, eventName, timestamp, text, result: JSON.parse(text) };
  };
}

/** Opened, and the inbox's message written: its group and deduplication id are a hash each, its stamp is an HMAC. */
export function makeWayByHand(
  sample: SampleMessage,
  cipher: Cipher,
  envelope: object,
): () => unknown {
  const open = makeOpeningByHand(sample, cipher, envelope);
  const stampKey = createSecretKey(sample.aesKey);
  return () => {
    const { id, merchantId, eventName, timestamp, text, result } = open();
    const key = id.replaceAll("-", "");
    const message = JSON.stringify({
      version: 1,
      origin: "callback",
      merchantId,
      body: text,
      bodyForm: "text",
      deduplication: { key, replayable: false },
      receivedAtMilliseconds: sample.sentAtMilliseconds,
      traceparent: sample.traceparent,
      callbackId: id,
      eventName,
      sentAtMilliseconds: timestamp,
      keyVersion: "one",
    });
    const group = hash("sha256", JSON.stringify(["order", merchantId, result.referOrderNo]));
    const deduplicationId = hash("sha256", `${merchantId}${key}${eventName}${text}`);
    const stamp = createHmac("sha256", stampKey)
      .update(`${group.length}:${group}:${message}`)
      .digest("base64url");
    const body = JSON.stringify({ version: 1, stampKey: "one", stamp, message });
    return { result, body, group, deduplicationId };
  };
}

function openCbc(sealed: Buffer, key: KeyObject): Buffer {
  const decipher = createDecipheriv("aes-256-cbc", key, Buffer.alloc(16));
  return Buffer.concat([decipher.update(sealed), decipher.final()]);
}

function openGcm(sealed: Buffer, key: KeyObject): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
}
