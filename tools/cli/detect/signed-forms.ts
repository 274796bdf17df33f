import type { Buffer } from "node:buffer";
import {
  type JsonStyle,
  jsonStyles,
  separatorsOf,
  writeJson,
} from "../../../shared/envelope/json-style.ts";
import {
  bodiesInJson,
  defaultProfile,
  isJsonForm,
  omittableFields,
  type Profile,
  signedForms,
} from "../../../shared/envelope/profile.ts";
import {
  isPresent,
  signedBytes,
  type WireEnvelope,
} from "../../../shared/envelope/signed-bytes.ts";

/** How the signed text is written, with every field of the envelope in it. */
type Writing = Pick<Profile, "signedForm" | "bodyInJson" | "jsonStyle">;

/** How the signed text is built, without the form of the body. */
export type SignedForm = Writing & Pick<Profile, "unsignedFields">;

/** A form of the body in the signed text. */
export interface SignedBody {
  readonly signs: Profile["signs"];
  readonly kind: BodyKind;
  readonly bytes: Buffer;
}

/** A plaintext that is no JSON object is most likely decrypted wrongly, so it is not tried in every style. */
type BodyKind = "json" | "ciphertext" | "other-text";

/** Every form that a profile can express for this envelope; forms whose settings change nothing count once. */
export function allSignedForms(envelope: WireEnvelope, kind: BodyKind): SignedForm[] {
  return allWritings(kind).flatMap((writing) => withoutFields(writing, envelope));
}

/** The forms that give different texts: styles of JSON differ only in some characters, which few bodies have. */
export function distinctForms(envelope: WireEnvelope, signedBody: SignedBody): SignedForm[] {
  const seen = new Map<string, Writing>();
  for (const writing of allWritings(signedBody.kind)) {
    const text = signedText(envelope, { ...writing, unsignedFields: [] }, signedBody);
    if (!seen.has(text)) seen.set(text, writing);
  }
  return [...seen.values()].flatMap((writing) => withoutFields(writing, envelope));
}

/**
 * The forms that give the same text as this one, itself included. If the envelope and its body show how their sender
 * writes JSON, only forms in that style.
 */
export function equalForms(
  envelope: WireEnvelope,
  form: SignedForm,
  signedBody: SignedBody,
): SignedForm[] {
  const { unsignedFields } = form;
  const text = signedText(envelope, form, signedBody);
  const equal = allWritings(signedBody.kind)
    .map((writing) => ({ ...writing, unsignedFields }))
    .filter((other) => signedText(envelope, other, signedBody) === text);
  const shown =
    signedBody.kind === "json" ? [envelope.text, signedBody.bytes.toString()] : [envelope.text];
  const styled = equal.filter(
    (other) => !isJsonForm(other) || shown.every((json) => isWrittenIn(json, other.jsonStyle)),
  );
  return styled.length > 0 ? styled : equal;
}

function signedText(
  envelope: WireEnvelope,
  form: SignedForm,
  { signs, bytes }: SignedBody,
): string {
  return signedBytes(envelope, bytes, { ...defaultProfile, ...form, signs }).toString("latin1");
}

const strings = /"(?:[^"\\]|\\.)*"/g;

/** Whether a serializer of this style can have written the text. Base64 mostly holds a slash, which some escape. */
function isWrittenIn(json: string, style: JsonStyle): boolean {
  const { comma, colon } = separatorsOf(style);
  const outside = json.trim().replace(strings, "");
  const spaced = outside.replace(/\s/g, "").replaceAll(",", comma).replaceAll(":", colon);
  return (
    spaced === outside &&
    (json.match(strings) ?? []).every(
      (written) => writeJson(String(JSON.parse(written)), style) === written,
    )
  );
}

function allWritings(kind: BodyKind): Writing[] {
  return signedForms.flatMap((signedForm): Writing[] => {
    const plain = { signedForm, bodyInJson: "text", jsonStyle: "plain" } as const;
    if (!isJsonForm(plain) || kind === "other-text") return [plain];
    return bodiesInJson
      .filter((bodyInJson) => bodyInJson === "text" || kind === "json")
      .flatMap((bodyInJson) =>
        jsonStyles.map((jsonStyle) => ({ signedForm, bodyInJson, jsonStyle })),
      );
  });
}

/** The writing without each subset of its fields. Fields that are not in the text cannot be omitted. */
function withoutFields(writing: Writing, { fields }: WireEnvelope): SignedForm[] {
  const { signedForm } = writing;
  if (signedForm === "body") return [{ ...writing, unsignedFields: [] }];
  const written = omittableFields.filter((name) =>
    signedForm === "json-as-sent" ? fields[name] !== undefined : isPresent(fields[name]),
  );
  return written
    .reduceRight<Profile["unsignedFields"][]>(
      (found, name) => found.flatMap((subset) => [subset, [name, ...subset]]),
      [[]],
    )
    .map((unsignedFields) => ({ ...writing, unsignedFields }));
}
