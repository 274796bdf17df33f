import { generateKeyPairSync, randomBytes } from "node:crypto";

/** What all contenders share: one plaintext, one RSA-2048 key, one AES-256 key. */
export interface SampleMessage {
  readonly merchantId: string;
  readonly eventName: string;
  readonly sentAtMilliseconds: number;
  readonly traceparent: string;
  readonly plaintext: string;
  readonly aesKey: Buffer;
  readonly publicPem: string;
  readonly privatePem: string;
}

/** A result object of §2.11, as a paid order brings it. */
export function makeSampleMessage(): SampleMessage {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const merchantId = "208800000000000001";
  const sentAtMilliseconds = Date.now();
  const result = {
    merchantId,
    referOrderNo: "ORDER-2026-000042",
    transactionId: "TX2026111500000000000000000042",
    paymentAmount: 129.95,
    currency: "EUR",
    paymentTime: sentAtMilliseconds - 90_000,
    completeTime: sentAtMilliseconds - 1_000,
    status: "success",
    msg: "",
  };
  return {
    merchantId,
    eventName: "payment.order.success",
    sentAtMilliseconds,
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    plaintext: JSON.stringify(result),
    // Printable: one of the contenders takes its key as text.
    aesKey: Buffer.from(randomBytes(16).toString("hex")),
    publicPem: publicKey.export({ type: "spki", format: "pem" }).toString(),
    privatePem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
