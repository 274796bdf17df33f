import { textEncodings } from "../../shared/envelope/profile.ts";
import { decodeText } from "../../shared/envelope/text.ts";
import type { CipherSettings } from "./cipher-settings.ts";
import type { SearchKeys } from "./keys.ts";
import { type BodyReading, bodyQualities } from "./read-body.ts";

/** How far one half of the search got, in words, and what the user can check next. */
export interface Explanation {
  readonly reached: string;
  readonly sentence: string;
  readonly checks: readonly string[];
}

export function explainBody(
  body: string,
  readings: readonly BodyReading[],
  keys: SearchKeys,
): Explanation {
  const best = bestOf(readings);
  return best === undefined ? explainUnread(body, keys) : explainReading(best);
}

function bestOf(readings: readonly BodyReading[]): BodyReading | undefined {
  const rank = ({ quality }: BodyReading) => bodyQualities.indexOf(quality);
  return [...readings].sort((one, other) => rank(other) - rank(one))[0];
}

const giveIv =
  "If the service gave you an IV, or its sample code holds one, name its file with --iv.";

function explainReading({ quality, settings, fieldNames = [] }: BodyReading): Explanation {
  const way = describeSettings(settings);
  const explain = (sentence: string, ...checks: string[]) => ({
    reached: quality,
    sentence,
    checks,
  });
  switch (quality) {
    case "json":
      return explain(`It decrypts to JSON with ${way}; fields: ${listNames(fieldNames)}.`);
    case "not-json":
      return explain(
        `It decrypts to UTF-8 text with ${way}, but the text is not a JSON object.`,
        `A wrong IV makes the beginning of the text unreadable. ${giveIv}`,
      );
    case "not-utf-8":
      return explain(
        `It decrypts with ${way}, and the GCM tag is right, but the text is not UTF-8.`,
        "Ask the service in which character set it writes a body; Paycast reads UTF-8.",
      );
    case "all-but-first-block":
      return explain(
        `It decrypts with cipher CBC and keyEncoding ${settings.keyEncoding}, except for its first 16 bytes: ` +
          "key and cipher are right, but the IV is neither zero, nor in front of the ciphertext, nor a common one.",
        giveIv,
      );
  }
}

function explainUnread(body: string, keys: SearchKeys): Explanation {
  const decoded = textEncodings.flatMap((encoding) => {
    const length = decodeText(body, encoding)?.length;
    return length === undefined ? [] : [{ encoding, length }];
  });
  if (decoded.length === 0) {
    return {
      reached: "not-encoded",
      sentence: "It is neither base64 nor base64url nor hex.",
      checks: [
        "Was the envelope captured as it was sent? Logs shorten and mask long values.",
        "Is the body encrypted at all?",
      ],
    };
  }
  const readAs = decoded.map(({ encoding, length }) => `${encoding} (${length} bytes)`);
  return {
    reached: "not-decrypted",
    sentence: `It reads as ${readAs.join(" or ")}, but nothing decrypts it with this AES key, read as ${[...keys.aesKeys.keys()].join(" or ")}.`,
    checks: checksForKey(decoded.some(({ length }) => length % 16 === 0)),
  };
}

function checksForKey(hasWholeBlocks: boolean): string[] {
  return [
    "Is it the AES key of this merchant, of the same environment (sandbox or production), and from the time of the capture?",
    hasWholeBlocks
      ? `A GCM tag cannot be checked without the right IV. ${giveIv}`
      : `The length is no multiple of 16, so the cipher is not CBC or ECB; GCM needs the right IV. ${giveIv}`,
    "Was the envelope captured as it was sent? Logs shorten and mask long values.",
  ];
}

function describeSettings({ cipher, iv, keyEncoding, bodyEncoding }: CipherSettings): string {
  const placement = cipher === "ECB" ? "" : `, iv ${iv}`;
  return `cipher ${cipher}${placement}, keyEncoding ${keyEncoding}, bodyEncoding ${bodyEncoding}`;
}

const mostNames = 30;

/** Names are untrusted input, so characters that control a terminal are escaped. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map((name) => escapeName(name.slice(0, 64)));
  const left = names.length - shown.length;
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join(", ") || "none";
}

export function escapeName(name: string): string {
  return name.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
