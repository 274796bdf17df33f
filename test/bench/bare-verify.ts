import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import type { SampleMessage } from "./sample-message.ts";

/** The yardstick: one RSA-2048 verification of the same amount of text, key parsed, signature decoded. */
export function makeBareVerify(sample: SampleMessage): () => unknown {
  const text = Buffer.from(`${sample.plaintext}&merchantId=${sample.merchantId}`.padEnd(600, "x"));
  const signature = sign("sha256", text, createPrivateKey(sample.privatePem));
  const publicKey = createPublicKey(sample.publicPem);
  return () => {
    if (!verify("sha256", text, publicKey, signature)) throw new Error("The signature is wrong.");
  };
}
