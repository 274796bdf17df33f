import type { Buffer } from "node:buffer";
import {
  defaultProfile,
  omittableFields,
  type Profile,
  signedForms,
} from "../../shared/envelope/profile.ts";
import { isPresent, signedBytes, type WireFields } from "../../shared/envelope/signed-bytes.ts";

type OmittableField = (typeof omittableFields)[number];

/** The part of a profile that says how the signed text is put together, but for what stands for its body. */
export type SignedForm = Pick<Profile, "signedForm" | "unsignedFields">;

/**
 * Every form of the signed text that this envelope can show. To leave out a field that it does not hold
 * changes nothing, nor does it where the body alone is signed: such twins are one form and count once.
 */
export function allSignedForms(fields: WireFields): SignedForm[] {
  const subsets = subsetsOf(omittableFields.filter((name) => isPresent(fields[name])));
  return signedForms.flatMap((signedForm): SignedForm[] =>
    signedForm === "body"
      ? [{ signedForm, unsignedFields: [] }]
      : subsets.map((unsignedFields) => ({ signedForm, unsignedFields })),
  );
}

/** The text, in bytes, as the opening code puts it together. */
export function bytesOf(fields: WireFields, body: Buffer, form: SignedForm): Buffer {
  return signedBytes(fields, body, { ...defaultProfile, ...form });
}

function subsetsOf(names: readonly OmittableField[]): OmittableField[][] {
  const [name, ...rest] = names;
  if (name === undefined) return [[]];
  return subsetsOf(rest).flatMap((subset) => [subset, [name, ...subset]]);
}
