import { omittableFields, type Profile } from "../../shared/envelope/profile.ts";
import { isPresent } from "../../shared/envelope/signed-bytes.ts";
import type { Capture } from "./capture.ts";

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

/** The fields of a profile that say how a request's body is written; a signature does not show them. */
const spellingFields = ["numbers", "goodsAmountName"] as const;

export type Spelling = Partial<Pick<Profile, (typeof spellingFields)[number]>>;

/** Finds which spellings a request's body uses. If it does not show one, that is left out. A callback shows none. */
export function readSpelling({ kind, envelope }: Capture, plaintext: string): Spelling {
  if (kind === "callback") return {};
  return requestSpelling(surveyJson(plaintext), typeof envelope.fields["timestamp"] === "number");
}

interface JsonContent {
  readonly names: ReadonlySet<string>;
  readonly holdsNumber: boolean;
}

/** §2.3, §2.5. No profile can express numbers in the body together with a timestamp that is a string. */
function requestSpelling(
  { names, holdsNumber }: JsonContent,
  timestampIsNumber: boolean,
): Spelling {
  const goodsAmountName = onlyOne(names, "goodsAmount", "goodsUnitAmount");
  const spelling = { ...(goodsAmountName && { goodsAmountName }) };
  if (timestampIsNumber) return { ...spelling, numbers: "number" };
  return holdsNumber ? spelling : { ...spelling, numbers: "string" };
}

function onlyOne<A extends string, B extends string>(
  names: ReadonlySet<string>,
  one: A,
  other: B,
): A | B | undefined {
  if (names.has(one) === names.has(other)) return undefined;
  return names.has(one) ? one : other;
}

function surveyJson(text: string): JsonContent {
  const names = new Set<string>();
  let holdsNumber = false;
  const look = (name: string, value: unknown) => {
    names.add(name);
    holdsNumber ||= typeof value === "number";
    return value;
  };
  try {
    JSON.parse(text, look);
  } catch {
    // Not JSON, or nested too deeply: it shows no spelling.
    return { names: new Set(), holdsNumber: false };
  }
  return { names, holdsNumber };
}
