import { omittableFields, type Profile } from "../../../shared/envelope/profile.ts";
import { isPresent } from "../../../shared/envelope/signed-bytes.ts";
import type { Capture } from "./capture.ts";

/** A setting of the profile that this capture does not show. */
export interface Undecided {
  readonly field: string;
  /** Other values that fit too, or the names of fields that may or may not be signed. */
  readonly alternatives: readonly string[];
  readonly sentence: string;
}

/** What else would fit, if the first of these profiles is chosen. */
export function listUndecided(
  profiles: readonly Profile[],
  capture: Capture,
  plaintext: string,
): Undecided[] {
  const [chosen, ...others] = profiles;
  if (chosen === undefined) return [];
  return [
    ...otherValues(chosen, others),
    ...absentFields(chosen, capture),
    ...unseenSpelling(capture, plaintext),
  ];
}

/** `fixedIv` is omitted, because it may be a part of the key; the difference in `iv` is enough. */
function otherValues(chosen: Profile, others: readonly Profile[]): Undecided[] {
  const valuesOf = (profile: Profile) =>
    new Map(Object.entries(profile).map(([name, value]) => [name, String(value)]));
  const [own, ...found] = [chosen, ...others].map(valuesOf);
  const fields = new Set(found.flatMap((values) => [...values.keys()]));
  fields.delete("fixedIv");
  return [...fields].flatMap((field) => {
    const values = new Set(found.map((profileValues) => profileValues.get(field) ?? ""));
    values.delete(own?.get(field) ?? "");
    const sentence = `${field}: ${[...values].join(" and ")} would fit too.`;
    return values.size === 0 ? [] : [{ field, alternatives: [...values], sentence }];
  });
}

/** A field that is absent is not in the signed text, whether the profile signs it or not. */
function absentFields(chosen: Profile, { kind, envelope }: Capture): Undecided[] {
  const absent = omittableFields.filter((name) => !isPresent(envelope.fields[name]));
  if (chosen.signedForm === "body" || absent.length === 0) return [];
  const sentence = `unsignedFields: not in this ${kind}: ${absent.join(", ")}. It is unknown whether they are signed when they are sent; this profile says that they are.`;
  return [{ field: "unsignedFields", alternatives: absent, sentence }];
}

function unseenSpelling(capture: Capture, plaintext: string): Undecided[] {
  const seen = readSpelling(capture, plaintext);
  return spellingFields
    .filter((field) => seen[field] === undefined)
    .map((field) => {
      const sentence = `${field}: this ${capture.kind} does not show it, so the default is kept.`;
      return { field, alternatives: [], sentence };
    });
}

/** The fields of a profile that say how a request's body is written; a signature does not show them. */
const spellingFields = ["numbers", "goodsAmountName"] as const;

/**
 * Finds which spellings a request's body uses (§2.3, §2.5). A spelling that it does not show is omitted. A callback shows
 * none.
 */
export function readSpelling(
  { kind, envelope }: Capture,
  plaintext: string,
): Partial<Pick<Profile, (typeof spellingFields)[number]>> {
  if (kind === "callback") return {};
  const { names, holdsNumber } = surveyJson(plaintext);
  const goodsNames = (["goodsAmount", "goodsUnitAmount"] as const).filter((name) =>
    names.has(name),
  );
  const goodsAmountName = goodsNames.length === 1 ? goodsNames[0] : undefined;
  const isNumber = typeof envelope.fields["timestamp"] === "number";
  return {
    ...(goodsAmountName && { goodsAmountName }),
    // No profile can express numbers in the body together with a timestamp that is a string.
    ...((isNumber || !holdsNumber) && { numbers: isNumber ? "number" : "string" }),
  };
}

/** Text that is not JSON, or is nested too deeply, shows nothing. */
function surveyJson(text: string) {
  const names = new Set<string>();
  let holdsNumber = false;
  const look = (name: string, value: unknown) => {
    names.add(name);
    holdsNumber ||= typeof value === "number";
    return value;
  };
  try {
    JSON.parse(text, look);
    return { names, holdsNumber };
  } catch {
    return { names: new Set(), holdsNumber: false };
  }
}
