import type { Profile } from "../../shared/envelope/profile.ts";
import type { Capture } from "./capture.ts";

/** The fields of a profile that say how a request's body is spelled; no signature tells them. */
export const spellingFields = ["numbers", "goodsAmountName"] as const;

export type Spelling = Partial<Pick<Profile, (typeof spellingFields)[number]>>;

/** Reads off a request's body which spellings it uses. What it does not show is left out, and a callback shows none. */
export function readSpelling({ kind, envelope }: Capture, plaintext: string): Spelling {
  if (kind === "callback") return {};
  return requestSpelling(surveyJson(plaintext), typeof envelope.fields["timestamp"] === "number");
}

interface JsonContent {
  readonly names: ReadonlySet<string>;
  readonly holdsNumber: boolean;
}

/** §2.3, §2.5. Numbers in the body beside a timestamp that is a string are a mixture no profile expresses. */
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
    // No JSON, or nested beyond reason: it shows no spelling.
    return { names: new Set(), holdsNumber: false };
  }
  return { names, holdsNumber };
}
