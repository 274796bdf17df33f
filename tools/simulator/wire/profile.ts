import * as z from "zod";
import { jsonStyles, type WritableJson } from "./exact-json.ts";

const text = z.enum(["base64", "base64url", "hex"]);
const unsignable = z.enum([
  "id",
  "merchantId",
  "eventName",
  "method",
  "format",
  "charset",
  "encryptType",
  "signType",
  "timestamp",
]);

/** The wire profile: every choice about signing, encryption and formatting that §5 leaves open. */
export const profileSchema = z
  .strictObject({
    signs: z.enum(["plaintext", "ciphertext"]).default("plaintext"),
    signedForm: z
      .enum(["sorted-pairs", "pairs-as-sent", "canonical-json", "json-as-sent", "body"])
      .default("sorted-pairs"),
    bodyInJson: z.enum(["text", "json"]).default("text"),
    jsonStyle: z.enum(jsonStyles).default("plain"),
    unsignedFields: z.array(unsignable).default([]),
    signatureHash: z.enum(["SHA-1", "SHA-256", "SHA-512"]).default("SHA-256"),
    signaturePadding: z.enum(["PKCS1-v1_5", "PSS"]).default("PKCS1-v1_5"),
    signatureEncoding: text.default("base64"),
    cipher: z.enum(["CBC", "GCM", "ECB"]).default("CBC"),
    iv: z.enum(["zero", "prefixed", "fixed"]).default("zero"),
    fixedIv: z
      .string()
      .regex(/^(?:[0-9a-fA-F]{24}|[0-9a-fA-F]{32})$/, "must be 24 or 32 hexadecimal digits")
      .exactOptional(),
    keyEncoding: z.enum(["base64", "hex", "utf-8"]).default("base64"),
    bodyEncoding: text.default("base64"),
    minimumRsaBits: z.int().min(1024).max(16_384).default(2048),
    numbers: z.enum(["number", "string"]).default("number"),
    goodsAmountName: z.enum(["goodsAmount", "goodsUnitAmount"]).default("goodsAmount"),
    /** The service's names for two fields of a result object (§2.11). A merchant accepts either. */
    orderNoName: z.enum(["referOrderNo", "outOrderNo"]).default("referOrderNo"),
    completeTimeName: z.enum(["completeTime", "paidTime"]).default("completeTime"),
  })
  .refine((profile) => profile.signs === "plaintext" || profile.bodyInJson === "text", {
    path: ["bodyInJson"],
    message: 'must be "text" with signs "ciphertext"',
  })
  .refine((profile) => profile.cipher !== "ECB" || profile.iv === "zero", {
    path: ["iv"],
    message: 'must be "zero" with cipher "ECB"',
  })
  .refine((profile) => (profile.iv === "fixed") === (profile.fixedIv !== undefined), {
    path: ["fixedIv"],
    message: 'must be given with iv "fixed", and only then',
  })
  .refine((profile) => profile.fixedIv?.length !== (profile.cipher === "GCM" ? 32 : 24), {
    path: ["fixedIv"],
    message: "must be 16 bytes for CBC, 12 for GCM",
  });

export type WireProfile = z.output<typeof profileSchema>;
export type WireProfileInput = z.input<typeof profileSchema>;

/** The part of the profile that a merchant stores with its keys. */
export function merchantsProfile<P extends WireProfileInput>(profile: P) {
  const { orderNoName, completeTimeName, ...rest } = profile;
  return rest;
}

/** Some services send numbers as strings (§2.2, §2.10). The profile says what this one does. */
export function numberOnWire(value: number | undefined, profile: WireProfile): WritableJson {
  return profile.numbers === "number" || value === undefined ? value : String(value);
}
