import type { Profile } from "../../shared/envelope/profile.ts";
import type { Capture } from "./capture.ts";

/** The fields of a profile that say how a request's body is written; a signature does not show them. */
export const spellingFields = ["numbers", "goodsAmountName"] as const;

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
