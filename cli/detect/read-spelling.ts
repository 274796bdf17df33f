import type { Profile } from "../../shared/envelope/profile.ts";
import type { Capture } from "./capture.ts";

/** The fields of a profile that say how a body is spelled; either way is read, so no signature tells. */
export const spellingFields = [
  "numbers",
  "goodsAmountName",
  "orderNoName",
  "completeTimeName",
] as const;

export type Spelling = Partial<Pick<Profile, (typeof spellingFields)[number]>>;

/** Reads off a body which spellings it uses. What it does not show is left out. */
export function readSpelling({ kind, envelope }: Capture, plaintext: string): Spelling {
  const content = surveyJson(plaintext);
  return kind === "callback"
    ? callbackSpelling(content)
    : requestSpelling(content, typeof envelope.fields["timestamp"] === "number");
}

interface JsonContent {
  readonly names: ReadonlySet<string>;
  readonly holdsNumber: boolean;
}

/** §2.11: the table and the skeleton differ in two names. */
function callbackSpelling({ names }: JsonContent): Spelling {
  const orderNoName = onlyOne(names, "referOrderNo", "outOrderNo");
  const completeTimeName = onlyOne(names, "completeTime", "paidTime");
  return { ...(orderNoName && { orderNoName }), ...(completeTimeName && { completeTimeName }) };
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
