import { createCipheriv, createSign } from "node:crypto";
import { AlipaySdk } from "alipay-sdk";
import type { SampleMessage } from "./sample-message.ts";

/** As its documents show it: `checkNotifySignV2` of the posted fields, then `aesDecrypt` of the content. */
export function makeAlipayWay(
  sample: SampleMessage,
  signed: "all fields" | "payment",
): () => unknown {
  const sdk = new AlipaySdk({
    appId: sample.merchantId,
    privateKey: sample.privatePem,
    keyType: "PKCS8",
    alipayPublicKey: sample.publicPem,
    encryptKey: sample.aesKey.toString("base64"),
  });
  const body = sealedBody(sample, signed);
  return () => {
    const posted = JSON.parse(body);
    if (!sdk.checkNotifySignV2(posted)) throw new Error("The signature is wrong.");
    return JSON.parse(sdk.aesDecrypt(posted.biz_content));
  };
}

/**
 * A payment's notification is signed without `sign_type`, which the SDK tries second: it verifies twice. Signed
 * with it, as other notifications are, it verifies once.
 */
function sealedBody(sample: SampleMessage, signed: "all fields" | "payment"): string {
  const cipher = createCipheriv("aes-256-cbc", sample.aesKey, Buffer.alloc(16));
  const sealed = Buffer.concat([cipher.update(sample.plaintext), cipher.final()]);
  const fields: Record<string, string> = {
    notify_id: "6f1c2f0e3b5e4c599d3c0c6a7b1f2d11",
    app_id: sample.merchantId,
    msg_method: sample.eventName,
    charset: "utf-8",
    encrypt_type: "AES",
    sign_type: "RSA2",
    utc_timestamp: String(sample.sentAtMilliseconds),
    version: "1.1",
    biz_content: sealed.toString("base64"),
  };
  const pairs = Object.entries(fields)
    .filter(([name]) => signed === "all fields" || name !== "sign_type")
    .map(([name, value]) => `${name}=${value}`);
  const signer = createSign("RSA-SHA256").update(pairs.sort().join("&"));
  return JSON.stringify({ ...fields, sign: signer.sign(sample.privatePem, "base64") });
}
