import { textEncodings } from "../../shared/envelope/profile.ts";
import { decodeText } from "../../shared/envelope/text.ts";
import type { CaptureKind } from "./capture.ts";
import type { SearchKeys } from "./keys.ts";
import { type BodyReading, bodyQualities, type CipherSettings } from "./read-body.ts";
import type { RecoveredSignature } from "./read-signature.ts";
import type { SearchResult, SignedTextMatch } from "./search-profiles.ts";

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

export function explainSignature(
  result: SearchResult,
  kind: CaptureKind,
  keys: SearchKeys,
): Explanation {
  const { signature } = result;
  const explain = (sentence: string, ...checks: string[]) => ({
    reached: signature.reached,
    sentence,
    checks,
  });
  switch (signature.reached) {
    case "recovered":
      return explainRecovered(signature, result);
    case "not-encoded":
      return explain("It is neither base64 nor base64url nor hex.", "Was `sign` captured whole?");
    case "wrong-length":
      return explain(
        `It has ${signature.lengths.join(" or ")} bytes, but this key of ${keys.rsaBits} bits makes signatures of ${Math.ceil(keys.rsaBits / 8)}.`,
        whoseKey[kind],
      );
    case "other-key":
      return explain(
        "It was not made with the private key of this public key, or it was changed later.",
        whoseKey[kind],
        "Is the key of the same environment (sandbox or production), and from the time of the capture?",
      );
    case "not-expressible":
      return explain(
        `It was made with this key, as ${signature.what}, which no profile can express.`,
        "Ask the service whether it can sign with PKCS1-v1_5 and SHA-256.",
      );
  }
}

const whoseKey: Record<CaptureKind, string> = {
  callback:
    "Is --public-key the service's public key? A callback is not signed with the merchant's.",
  request: "Is the key the merchant's? A request is not signed with the service's.",
};

function explainRecovered(
  { schemes }: RecoveredSignature,
  { match, textsCompared, bodyReadings, refusals }: SearchResult,
): Explanation {
  const made = schemes.map(({ padding, hash }) => `${padding} with ${hash}`).join(" or ");
  if (match !== undefined) return explainMatch(match, refusals);
  const hasPlaintext = bodyReadings.some(({ text }) => text !== undefined);
  const compared = textsCompared.toLocaleString("en");
  return {
    reached: "text-unknown",
    sentence: `It was made with this key, as ${made}: key, padding and hash are right. But it matches none of the ${compared} texts that a profile can build${hasPlaintext ? "" : " without the decrypted body"}.`,
    checks: hasPlaintext ? checksForText : [],
  };
}

const checksForText = [
  "Was the envelope changed since it was signed? A proxy, a log or an editor may have reformatted, masked or dropped a field.",
  "Ask the service for the exact text that it signs, with an example.",
];

function explainMatch(match: SignedTextMatch, refusals: SearchResult["refusals"]): Explanation {
  const { scheme, signedForm, signs } = match;
  const made = `${scheme.padding} with ${scheme.hash}, signedForm ${signedForm}, signs ${signs}`;
  if (!refusals.includes("merchant-differs")) {
    const sentence = `It is right: ${made}. Only the body remains.`;
    return { reached: "matched", sentence, checks: [] };
  }
  return {
    reached: "merchant-differs",
    sentence: `It is right: ${made}. But merchantId is not signed, and the body names another merchant than the envelope.`,
    checks: ["Such an envelope is refused: it may be another merchant's. Capture one that agrees."],
  };
}
