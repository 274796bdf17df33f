import * as z from "zod/mini";
import { describeIssues } from "../errors/describe-issues.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import { jsonStyles } from "./json-style.ts";

/**
 * The wire profile: everything about signing and encrypting that the interface (§5) leaves open. It is stored with the
 * keys, so a merchant's algorithms come from configuration and never from a request. `npx paycast detect-profile`
 * derives it from one captured callback.
 */
export const textEncodings = ["base64", "base64url", "hex"] as const;
export const cipherModes = ["CBC", "GCM", "ECB"] as const;
export const ivPlacements = ["zero", "prefixed", "fixed"] as const;
export const keyEncodings = ["base64", "hex", "utf-8"] as const;
export const signatureHashes = ["SHA-1", "SHA-256", "SHA-512"] as const;
export const signaturePaddings = ["PKCS1-v1_5", "PSS"] as const;
/** `signedBytes` in signed-bytes.ts builds the text of each. A new form is added here and there. */
export const signedForms = [
  "sorted-pairs",
  "pairs-as-sent",
  "canonical-json",
  "json-as-sent",
  "body",
] as const;
export const signedBodies = ["plaintext", "ciphertext"] as const;
export const bodiesInJson = ["text", "json"] as const;

/** Fields that may be missing from the signed text. `sign` is never part of it, `body` always. */
export const omittableFields = [
  "id",
  "merchantId",
  "eventName",
  "method",
  "format",
  "charset",
  "encryptType",
  "signType",
  "timestamp",
] as const;

const fields = {
  /** Which form of `body` is in the signed text. Plaintext: decrypt, then verify. Ciphertext: verify first. */
  signs: z._default(z.enum(signedBodies), "plaintext"),
  /**
   * How the signed text is built: `name=value` pairs joined by `&`, or JSON, each sorted by name or in the order of the
   * request's text; or the body alone.
   */
  signedForm: z._default(z.enum(signedForms), "sorted-pairs"),
  /** The body in signed JSON: a string with its text, or its own JSON value. */
  bodyInJson: z._default(z.enum(bodiesInJson), "text"),
  jsonStyle: z._default(z.enum(jsonStyles), "plain"),
  unsignedFields: z._default(z.array(z.enum(omittableFields)), []),
  signatureHash: z._default(z.enum(signatureHashes), "SHA-256"),
  signaturePadding: z._default(z.enum(signaturePaddings), "PKCS1-v1_5"),
  signatureEncoding: z._default(z.enum(textEncodings), "base64"),
  cipher: z._default(z.enum(cipherModes), "CBC"),
  /** The source of the IV: all zero, prefixed to the ciphertext, or `fixedIv`. ECB has none and takes "zero". */
  iv: z._default(z.enum(ivPlacements), "zero"),
  /** Hex; 16 bytes for CBC, 12 for GCM. */
  fixedIv: z.optional(z.string().check(z.regex(/^[0-9a-fA-F]+$/, "must be hexadecimal"))),
  keyEncoding: z._default(z.enum(keyEncodings), "base64"),
  bodyEncoding: z._default(z.enum(textEncodings), "base64"),
  minimumRsaBits: z._default(z.int().check(z.gte(1024), z.lte(16384)), 2048),
  /** How numbers are sent. Both spellings are read (§2.2, §2.3, §2.10). */
  numbers: z._default(z.enum(["number", "string"]), "number"),
  /** The field whose name differs between the interface's table and its sample (§2.5). */
  goodsAmountName: z._default(z.enum(["goodsAmount", "goodsUnitAmount"]), "goodsAmount"),
};

/**
 * The message does not repeat the name of an unknown field: the profile is part of a secret, and the message is logged.
 */
const profileFields = z.strictObject(fields, {
  error: ({ code }) =>
    code === "unrecognized_keys"
      ? `must have no other fields than ${Object.keys(fields).join(", ")}`
      : undefined,
});

export type Profile = z.output<typeof profileFields>;
export type ProfileInput = z.input<typeof profileFields>;
export type TextEncoding = Profile["signatureEncoding"];

/** Whether the signed text is JSON, so that `bodyInJson` and `jsonStyle` apply. */
export function isJsonForm({ signedForm }: Pick<Profile, "signedForm">): boolean {
  return signedForm === "canonical-json" || signedForm === "json-as-sent";
}

export const ivBytes = { CBC: 16, GCM: 12, ECB: 0 } as const;

export const profileSchema = profileFields.check(
  z.refine((p) => p.bodyInJson !== "json" || p.signs === "plaintext", {
    path: ["bodyInJson"],
    message: 'must be "text" when signs is "ciphertext", which is not JSON',
  }),
  z.refine((p) => p.cipher !== "ECB" || p.iv === "zero", {
    path: ["iv"],
    message: 'must be "zero" when cipher is "ECB", which has no IV',
  }),
  z.refine((p) => (p.iv === "fixed") === (p.fixedIv !== undefined), {
    path: ["fixedIv"],
    message: 'must be set if and only if iv is "fixed"',
  }),
  z.refine((p) => p.fixedIv === undefined || p.fixedIv.length === 2 * ivBytes[p.cipher], {
    path: ["fixedIv"],
    message: "must be 32 hexadecimal digits for CBC, 24 for GCM",
  }),
);

export const defaultProfile: Profile = profileFields.parse({});

/** Reads a profile from a secret. Throws `profile-invalid`, naming each wrong field. */
export function readProfile(input: unknown): Profile {
  const result = profileSchema.safeParse(input);
  if (result.success) return result.data;
  throw new PaycastError(
    "profile-invalid",
    `The wire profile is not valid: ${describeIssues(result.error, "profile")}.`,
  );
}

/** The fields of a profile that differ from the default, for a user to paste. */
export function changesFromDefault(profile: Profile): Partial<Profile> {
  const defaults = new Map<string, unknown>(Object.entries(defaultProfile));
  return Object.fromEntries(
    Object.entries(profile).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults.get(name)),
    ),
  );
}

/** How many settings of a profile differ from the default. */
export function distanceFromDefault(profile: Profile): number {
  return Object.keys(changesFromDefault(profile)).length + profile.unsignedFields.length;
}
