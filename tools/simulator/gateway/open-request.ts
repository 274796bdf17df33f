import * as z from "zod";
import type { Merchant, ServiceKeys } from "../merchants/merchant.ts";
import { Refusal, refusalCodes } from "../orders/refusal.ts";
import { decryptBody } from "../wire/cipher.ts";
import { JsonNumber, parseExactJson } from "../wire/exact-json.ts";
import { type EnvelopeFields, signatureMatches } from "../wire/signature.ts";
import { readUtf8 } from "../wire/wire-text.ts";

export interface OpenedRequest {
  merchant: Merchant;
  method: string;
  body: unknown;
}

export interface RequestChecks {
  merchants: ReadonlyMap<string, Merchant>;
  nowMilliseconds: number;
  windowSeconds: number;
}

const timestamp = z
  .union([z.string(), z.instanceof(JsonNumber)])
  .refine((value) => /^\d{13}$/.test(textOf(value)), "must be 13 digits");

/** The envelope of §2.1. Each optional field has only one allowed value. */
const envelopeSchema = z.strictObject({
  merchantId: z.string().min(1).max(18),
  method: z.string().min(1),
  format: z.literal("json").exactOptional(),
  charset: z.enum(["utf-8", "UTF-8"]).exactOptional(),
  encryptType: z.literal("AES").exactOptional(),
  signType: z.literal("RSA").exactOptional(),
  sign: z.string().min(1),
  timestamp,
  body: z.string().min(1),
});

interface Envelope extends z.output<typeof envelopeSchema> {
  /** The field names in the order in which they were sent. */
  readonly order: readonly string[];
}

/** All checks of §5 with the service's keys. It reports the failure that a developer should fix first. */
export function openRequest(bytes: Buffer, checks: RequestChecks): OpenedRequest {
  const envelope = readEnvelope(bytes);
  const merchant = checks.merchants.get(envelope.merchantId);
  if (merchant === undefined) {
    throw new Refusal(refusalCodes.unknownMerchant, "merchantId is not known");
  }
  const plaintext = authenticPlaintext(merchant, envelope);
  const distanceMilliseconds = Math.abs(
    Number(textOf(envelope.timestamp)) - checks.nowMilliseconds,
  );
  if (distanceMilliseconds > checks.windowSeconds * 1000) {
    const msg = `timestamp differs from the current time by more than ${checks.windowSeconds} seconds`;
    throw new Refusal(refusalCodes.timestampOutsideWindow, msg);
  }
  return { merchant, method: envelope.method, body: readBody(plaintext) };
}

function readEnvelope(bytes: Buffer): Envelope {
  const sent = parseOrUndefined(readUtf8(bytes));
  const read = envelopeSchema.safeParse(sent);
  if (read.success) return { ...read.data, order: Object.keys(sent ?? {}) };
  if (read.error.issues.some((issue) => issue.path.length === 0 && issue.code === "invalid_type")) {
    throw new Refusal(refusalCodes.notAnEnvelope, "the request is not a request envelope in JSON");
  }
  const said = read.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`.trim());
  throw new Refusal(refusalCodes.envelopeField, said.join("; "));
}

function authenticPlaintext(merchant: Merchant, envelope: Envelope): string {
  const results = merchant.accepted.map((keys) => openWith(merchant, keys, envelope));
  const plaintext = results.find((result) => typeof result === "string");
  if (plaintext !== undefined) return plaintext;
  // Report the failure with the newest keys.
  throw results[0] instanceof Refusal ? results[0] : new Error("a merchant without keys");
}

function openWith(merchant: Merchant, keys: ServiceKeys, envelope: Envelope): string | Refusal {
  const { profile } = merchant;
  const plaintext = decryptBody(profile, keys.aesKey, envelope.body);
  if (plaintext === undefined && profile.signs === "plaintext") return cannotDecrypt();
  const body = profile.signs === "plaintext" ? plaintext : envelope.body;
  const fields = { ...wireFields(envelope), body };
  if (!signatureMatches(profile, keys.merchantPublicKey, fields, envelope.sign)) {
    return new Refusal(refusalCodes.wrongSignature, "sign does not match the request");
  }
  return plaintext ?? cannotDecrypt();
}

function cannotDecrypt(): Refusal {
  return new Refusal(refusalCodes.cannotDecrypt, "body cannot be decrypted");
}

/** The fields as the sender wrote them: a timestamp that was sent as a number is a number in the signed JSON, too. */
function wireFields({ order, ...envelope }: Envelope): EnvelopeFields {
  const values = new Map(Object.entries(envelope));
  return Object.fromEntries(
    order.map((name) => {
      const value = values.get(name);
      return [name, value instanceof JsonNumber ? Number(value.text) : value];
    }),
  );
}

function readBody(plaintext: string): unknown {
  const body = parseOrUndefined(plaintext);
  if (body !== undefined) return body;
  throw new Refusal(refusalCodes.bodyField, "the decrypted body is not JSON");
}

function parseOrUndefined(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parseExactJson(text);
  } catch {
    return undefined;
  }
}

function textOf(value: string | JsonNumber): string {
  return typeof value === "string" ? value : value.text;
}
