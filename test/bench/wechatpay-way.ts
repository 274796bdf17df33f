import { createCipheriv, createSign, randomBytes } from "node:crypto";
import WechatPay from "wechatpay-node-v3";
import type { SampleMessage } from "./sample-message.ts";

const serial = "5157F09EFDC096DE15EBE81A47057A7232F1B8E1";

/** The platform's keys are fetched once from the service and then held; here they are held from the start. */
class PrimedWechatPay extends WechatPay {
  static hold(publicPem: string): void {
    WechatPay.certificates[serial] = publicPem;
  }
}

/** As its documents show it: `verifySign` with the request's headers, then `decipher_gcm` of the resource. */
export function makeWechatpayWay(sample: SampleMessage): () => Promise<unknown> {
  PrimedWechatPay.hold(sample.publicPem);
  const pay = new PrimedWechatPay({
    appid: "wx0000000000000000",
    mchid: sample.merchantId,
    serial_no: serial,
    publicKey: Buffer.from(sample.publicPem),
    privateKey: Buffer.from(sample.privatePem),
    key: sample.aesKey.toString(),
  });
  const request = sealedRequest(sample);
  return async () => {
    const { resource } = JSON.parse(request.body);
    if (!(await pay.verifySign(request))) throw new Error("The signature is wrong.");
    return pay.decipher_gcm(resource.ciphertext, resource.associated_data, resource.nonce);
  };
}

function sealedRequest(sample: SampleMessage) {
  const nonce = randomBytes(6).toString("hex");
  const cipher = createCipheriv("aes-256-gcm", sample.aesKey, nonce);
  cipher.setAAD(Buffer.from("transaction"));
  const sealed = [cipher.update(sample.plaintext), cipher.final(), cipher.getAuthTag()];
  const ciphertext = Buffer.concat(sealed).toString("base64");
  const body = JSON.stringify({
    id: "EV-2018022511223320873",
    create_time: "2026-11-15T10:34:56+08:00",
    resource_type: "encrypt-resource",
    event_type: "TRANSACTION.SUCCESS",
    summary: "paid",
    resource: { algorithm: "AEAD_AES_256_GCM", ciphertext, associated_data: "transaction", nonce },
  });
  const timestamp = String(Math.floor(sample.sentAtMilliseconds / 1_000));
  const signer = createSign("RSA-SHA256").update(`${timestamp}\n${nonce}\n${body}\n`);
  return { timestamp, nonce, body, serial, signature: signer.sign(sample.privatePem, "base64") };
}
