import type { Profile } from "../../../shared/envelope/profile.ts";
import type { Capture } from "./capture.ts";

/** The fields of a profile that say how a request's body is written; a signature does not show them. */
export const spellingFields = ["numbers", "goodsAmountName"] as const;

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
