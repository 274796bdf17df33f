import fc from "fast-check";
import {
  cipherModes,
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

const cipherAndIv = fc
  .record({ cipher: fc.constantFrom(...cipherModes), iv: fc.constantFrom(...ivPlacements) })
  .map(({ cipher, iv }) => ({ cipher, iv: cipher === "ECB" ? ("zero" as const) : iv }))
  .map((chosen) => ({ ...chosen, ...(chosen.iv === "fixed" && fixedIvFor(chosen.cipher)) }));

function fixedIvFor(cipher: Profile["cipher"]) {
  return { fixedIv: "5a".repeat(ivBytes[cipher]) };
}

/** Every wire profile that can be expressed. */
export const anyProfile: fc.Arbitrary<Profile> = fc
  .tuple(
    cipherAndIv,
    fc.record({
      signs: fc.constantFrom(...signedBodies),
      signedForm: fc.constantFrom(...signedForms),
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
  .map(([cipher, rest]) => readProfile({ ...rest, ...cipher }));

/** GCM under an IV that repeats opens, but is never sealed. */
export function canSeal({ cipher, iv }: Profile): boolean {
  return cipher !== "GCM" || iv === "prefixed";
}
