import fc from "fast-check";
import { jsonStyles } from "../../shared/envelope/json-style.ts";
import {
  bodiesInJson,
  cipherModes,
  isJsonForm,
  ivBytes,
  ivPlacements,
  keyEncodings,
  omittableFields,
  type Profile,
  readProfile,
  signatureHashes,
  signaturePaddings,
  signedBodies,
  signedForms,
  textEncodings,
} from "../../shared/envelope/profile.ts";
import { parseJson } from "../../shared/json/parse-json.ts";

const cipherAndIv = fc
  .record({ cipher: fc.constantFrom(...cipherModes), iv: fc.constantFrom(...ivPlacements) })
  .map(({ cipher, iv }) => ({ cipher, iv: cipher === "ECB" ? ("zero" as const) : iv }))
  .map((chosen) => ({ ...chosen, ...(chosen.iv === "fixed" && fixedIvFor(chosen.cipher)) }));

/** A ciphertext is no JSON value. */
const signing = fc
  .record({ signs: fc.constantFrom(...signedBodies), bodyInJson: fc.constantFrom(...bodiesInJson) })
  .filter(({ signs, bodyInJson }) => signs === "plaintext" || bodyInJson === "text");

function fixedIvFor(cipher: Profile["cipher"]) {
  return { fixedIv: "5a".repeat(ivBytes[cipher]) };
}

/** Every wire profile that can be expressed. */
export const anyProfile: fc.Arbitrary<Profile> = fc
  .tuple(
    cipherAndIv,
    signing,
    fc.record({
      signedForm: fc.constantFrom(...signedForms),
      jsonStyle: fc.constantFrom(...jsonStyles),
      unsignedFields: fc.subarray([...omittableFields]),
      signatureHash: fc.constantFrom(...signatureHashes),
      signaturePadding: fc.constantFrom(...signaturePaddings),
      signatureEncoding: fc.constantFrom(...textEncodings),
      keyEncoding: fc.constantFrom(...keyEncodings),
      bodyEncoding: fc.constantFrom(...textEncodings),
      numbers: fc.constantFrom("number" as const, "string" as const),
      goodsAmountName: fc.constantFrom("goodsAmount" as const, "goodsUnitAmount" as const),
    }),
  )
  .map(([cipher, signed, rest]) => readProfile({ ...rest, ...signed, ...cipher }));

/** In signed JSON that holds the body as JSON, nothing else can be a body. */
export function canHold(profile: Profile, plaintext: string): boolean {
  if (!isJsonForm(profile) || profile.bodyInJson === "text") return true;
  return plaintext.trim() === plaintext && parseJson(plaintext) !== undefined;
}

/** GCM under an IV that repeats opens, but is never sealed. */
export function canSeal({ cipher, iv }: Profile): boolean {
  return cipher !== "GCM" || iv === "prefixed";
}
