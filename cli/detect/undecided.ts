import { omittableFields, type Profile } from "../../shared/envelope/profile.ts";
import { isPresent } from "../../shared/envelope/signed-bytes.ts";
import type { Capture } from "./capture.ts";
import { readSpelling, spellingFields } from "./read-spelling.ts";

/** A setting of the profile that this capture does not show. */
export interface Undecided {
  readonly field: string;
  /** Other values that fit too, or the names of fields that may or may not be signed. */
  readonly alternatives: readonly string[];
  readonly sentence: string;
}

export function listUndecided(
  profiles: readonly Profile[],
  capture: Capture,
  plaintext: string,
): Undecided[] {
  const [chosen] = profiles;
  if (chosen === undefined) return [];
  return [
    ...otherValues(chosen, profiles),
    ...absentFields(chosen, capture),
    ...unseenSpelling(capture, plaintext),
  ];
}

function otherValues(chosen: Profile, profiles: readonly Profile[]): Undecided[] {
  const values = new Map<string, Set<string>>();
  for (const profile of profiles.slice(1)) {
    for (const [field, value] of differences(profile, chosen)) {
      values.set(field, (values.get(field) ?? new Set()).add(value));
    }
  }
  return [...values].map(([field, others]) => ({
    field,
    alternatives: [...others],
    sentence: `${field}: ${[...others].join(" and ")} would fit too.`,
  }));
}

/** `fixedIv` is left out, because it may be a part of the key; the difference in `iv` is enough. */
function differences(profile: Profile, chosen: Profile): [string, string][] {
  const own = new Map<string, unknown>(Object.entries(chosen));
  return Object.entries(profile)
    .map(([field, value]): [string, string] => [field, String(value)])
    .filter(([field, value]) => field !== "fixedIv" && value !== String(own.get(field)));
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
  const unseen = spellingFields.filter((field) => seen[field] === undefined);
  return unseen.map((field) => ({
    field,
    alternatives: [],
    sentence: `${field}: this ${capture.kind} does not show it, so the default is kept.`,
  }));
}
