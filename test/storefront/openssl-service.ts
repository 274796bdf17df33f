import { execFileSync } from "node:child_process";
import { constants, createDecipheriv, verify as verifyHere } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import type { ProfileInput } from "../../shared/envelope/profile.ts";
import { listenOnLoopback } from "../../tools/local/aws/listen-on-loopback.ts";
import { merchantPair, publicPem } from "../builders/merchant.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import type { Fields } from "./order.ts";

/** A request as it was opened, its signature verified. */
export interface SeenRequest {
  readonly path: string;
  readonly method: string;
  readonly merchantId: string;
  readonly timestamp: unknown;
  readonly body: Fields;
  /** The body as it was written, since a parsed number does not tell how it was spelled. */
  readonly text: string;
}

/** What one merchant agreed with the service: AES key (bytes) and profile. */
export type Agreement = { readonly aesKey: Buffer; readonly profile: ProfileInput };

/** What is answered to a request, the first one being 1; it may be held back by a promise. */
export type ServiceAnswer = (request: SeenRequest, count: number) => unknown;

/** An answer under another HTTP status than 200. */
export class HttpReply {
  readonly status: number;
  readonly value: unknown;
  readonly headers: Record<string, string>;

  constructor(status: number, value: unknown, headers: Record<string, string> = {}) {
    this.status = status;
    this.value = value;
    this.headers = headers;
  }
}

const folder = temporaryFolder("openssl-service");

/**
 * A payment service that shares no code with Paycast, and answers what the test wants. It opens its first request with
 * the openssl command and the others with Node's library: two processes for each of hundreds would take most of the
 * time. A request that cannot be opened is answered with a refusal that says so.
 */
export async function startOpensslService(answer: ServiceAnswer) {
  const requests: SeenRequest[] = [];
  const agreements = new Map<string, Agreement>();
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const reply = async () => {
      const seen = open(String(request.url), text, agreements, requests.length === 0);
      requests.push(seen);
      return await answer(seen, requests.length);
    };
    const replied = await reply().catch((error) => ({ code: 40100, msg: `openssl: ${error}` }));
    const { status, value, headers } =
      replied instanceof HttpReply ? replied : new HttpReply(200, replied);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof value === "string" ? value : JSON.stringify(value));
  });
  const { endpoint, stop } = await listenOnLoopback(server);
  return { url: endpoint, requests, agreements, stop };
}

function open(
  path: string,
  text: string,
  agreements: ReadonlyMap<string, Agreement>,
  isFirst: boolean,
): SeenRequest {
  const { sign, ...fields } = JSON.parse(text);
  const agreement = agreements.get(fields.merchantId);
  if (agreement === undefined) throw new Error("unknown merchant");
  const { profile } = agreement;
  const plaintext = decrypt(agreement, fields.body, isFirst);
  const signed = profile.signs === "ciphertext" ? fields.body : plaintext;
  verify(profile, textToSign(profile, { ...fields, body: signed }), sign, isFirst);
  const { method, merchantId, timestamp } = fields;
  return { path, method, merchantId, timestamp, body: JSON.parse(plaintext), text: plaintext };
}

function textToSign(profile: ProfileInput, fields: Fields): string {
  const { signedForm = "sorted-pairs" } = profile;
  if (signedForm === "body") return String(fields["body"]);
  const names = Object.keys(fields).filter((name) => fields[name] !== "");
  if (!signedForm.endsWith("as-sent")) names.sort();
  if (signedForm.includes("pairs")) return names.map((name) => `${name}=${fields[name]}`).join("&");
  const isInside = profile.bodyInJson === "json";
  const body = isInside ? JSON.parse(String(fields["body"])) : fields["body"];
  const ordered = names.map((name) => [name, name === "body" ? body : fields[name]]);
  return JSON.stringify(Object.fromEntries(ordered));
}

function decrypt({ aesKey, profile }: Agreement, body: string, isFirst: boolean): string {
  const bytes = Buffer.from(body, profile.bodyEncoding ?? "base64");
  const mode = (profile.cipher ?? "CBC").toLowerCase();
  const front = profile.iv === "prefixed" ? 16 : 0;
  const iv = front > 0 ? bytes.subarray(0, front) : Buffer.alloc(16);
  const cipher = `aes-${aesKey.length * 8}-${mode}`;
  const sealed = bytes.subarray(front);
  if (!isFirst) {
    const opener = createDecipheriv(cipher, aesKey, mode === "ecb" ? null : iv);
    return Buffer.concat([opener.update(sealed), opener.final()]).toString("utf8");
  }
  const vector = mode === "ecb" ? [] : ["-iv", iv.toString("hex")];
  const args = ["enc", "-d", `-${cipher}`, "-K", aesKey.toString("hex"), ...vector];
  return openssl(args, sealed).toString("utf8");
}

function verify(profile: ProfileInput, text: string, sign: string, isFirst: boolean): void {
  const signature = Buffer.from(sign, profile.signatureEncoding ?? "base64");
  const hash = (profile.signatureHash ?? "SHA-256").replace("-", "").toLowerCase();
  const isPss = profile.signaturePadding === "PSS";
  if (!isFirst) {
    const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
    const key = { key: publicPem(merchantPair()), ...(isPss && { padding, saltLength }) };
    if (verifyHere(hash, Buffer.from(text), key, signature)) return;
    throw new Error("wrong signature");
  }
  const file = join(folder, "signature");
  const key = join(folder, "merchant.pub.pem");
  writeFileSync(file, signature);
  writeFileSync(key, publicPem(merchantPair()));
  const pss = ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"];
  const args = ["dgst", `-${hash}`, ...(isPss ? pss : []), "-verify", key, "-signature", file];
  openssl(args, Buffer.from(text));
}

function openssl(args: readonly string[], input: Buffer): Buffer {
  return execFileSync("openssl", args, { input, stdio: ["pipe", "pipe", "ignore"] });
}
