import type { Buffer } from "node:buffer";
import {
  defaultProfile,
  omittableFields,
  type Profile,
  signedForms,
} from "../../shared/envelope/profile.ts";
import { isPresent, signedBytes, type WireFields } from "../../shared/envelope/signed-bytes.ts";

type OmittableField = (typeof omittableFields)[number];

/** The part of a profile that says how the signed text is built, without the form of the body. */
export type SignedForm = Pick<Profile, "signedForm" | "unsignedFields">;

/**
 * Every different form of the signed text for this envelope. Leaving out a field changes nothing if the envelope does
 * not have it, or if only the body is signed: such equal forms count once.
 */
export function allSignedForms(fields: WireFields): SignedForm[] {
  const subsets = subsetsOf(omittableFields.filter((name) => isPresent(fields[name])));
  return signedForms.flatMap((signedForm): SignedForm[] =>
    signedForm === "body"
      ? [{ signedForm, unsignedFields: [] }]
      : subsets.map((unsignedFields) => ({ signedForm, unsignedFields })),
  );
}

/** The signed text in bytes, built by the same code that opens callbacks. */
export function bytesOf(fields: WireFields, body: Buffer, form: SignedForm): Buffer {
  return signedBytes(fields, body, { ...defaultProfile, ...form });
}

function subsetsOf(names: readonly OmittableField[]): OmittableField[][] {
  const [name, ...rest] = names;
  if (name === undefined) return [[]];
  return subsetsOf(rest).flatMap((subset) => [subset, [name, ...subset]]);
}
