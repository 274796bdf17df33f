import { isJsonForm, textEncodings } from "../../../shared/envelope/profile.ts";
import { decodeText } from "../../../shared/envelope/text.ts";
import type { Capture, CaptureKind } from "./capture.ts";
import type { SearchKeys } from "./keys.ts";
import type { BodyReading, CipherSettings } from "./read-body.ts";
import type { SignatureScheme } from "./read-signature.ts";
import type { SearchResult, SignedTextMatch } from "./search-profiles.ts";

/** How far one half of the search got, in words, and what the user can check next. */
interface Explanation {
  readonly reached: string;
  readonly sentence: string;
  readonly checks: readonly string[];
}

function explanation(reached: string, sentence: string, ...checks: string[]): Explanation {
  return { reached, sentence, checks };
}

/** Why no profile fits, for the body and for the signature. */
export function explainFailure(result: SearchResult, capture: Capture, keys: SearchKeys) {
  const [best] = result.bodyReadings;
  const { checks: bodyChecks, ...body } =
    best === undefined ? explainUnread(capture.envelope.body, keys) : explainReading(best);
  const { checks, ...signature } = explainSignature(result, capture.kind, keys);
  return { body, signature, checks: [...new Set([...bodyChecks, ...checks])] };
}

const giveIv =
  "If the service gave you an IV, or its sample code holds one, name its file with --iv.";
const notEncoded = "It is neither base64 nor base64url nor hex.";
const asItWasSent = "Was the envelope captured as it was sent? Logs shorten and mask long values.";

function explainReading({ quality, settings, fieldNames = [] }: BodyReading): Explanation {
  const way = describeSettings(settings);
  switch (quality) {
    case "json":
      return explanation(
        quality,
        `It decrypts to JSON with ${way}; fields: ${listNames(fieldNames)}.`,
      );
    case "not-json":
      return explanation(
        quality,
        `It decrypts to UTF-8 text with ${way}, but the text is not a JSON object.`,
        `A wrong IV makes the beginning of the text unreadable. ${giveIv}`,
      );
    case "not-utf-8":
      return explanation(
        quality,
        `It decrypts with ${way}, and the GCM tag is right, but the text is not UTF-8.`,
        "Ask the service in which character set it writes a body; Paycast reads UTF-8.",
      );
    case "all-but-first-block":
      return explanation(
        quality,
        `It decrypts with cipher CBC and keyEncoding ${settings.keyEncoding}, except for its first 16 bytes: ` +
          "key and cipher are right, but the IV is neither zero, nor in front of the ciphertext, nor a common one.",
        giveIv,
      );
  }
}

function explainUnread(body: string, keys: SearchKeys): Explanation {
  const lengths = textEncodings.flatMap((encoding) => {
    const length = decodeText(body, encoding)?.length;
    return length === undefined ? [] : [{ encoding, length }];
  });
  if (lengths.length === 0) {
    return explanation("not-encoded", notEncoded, asItWasSent, "Is the body encrypted at all?");
  }
  const readAs = lengths.map(({ encoding, length }) => `${encoding} (${length} bytes)`);
  const hasWholeBlocks = lengths.some(({ length }) => length % 16 === 0);
  return explanation(
    "not-decrypted",
    `It reads as ${readAs.join(" or ")}, but nothing decrypts it with this AES key, read as ${[...keys.aesKeys.keys()].join(" or ")}.`,
    "Is it the AES key of this merchant, of the same environment (sandbox or production), and from the time of the capture?",
    hasWholeBlocks
      ? `A GCM tag cannot be checked without the right IV. ${giveIv}`
      : `The length is no multiple of 16, so the cipher is not CBC or ECB; GCM needs the right IV. ${giveIv}`,
    asItWasSent,
  );
}

function describeSettings({ cipher, iv, keyEncoding, bodyEncoding }: CipherSettings): string {
  const placement = cipher === "ECB" ? "" : `, iv ${iv}`;
  return `cipher ${cipher}${placement}, keyEncoding ${keyEncoding}, bodyEncoding ${bodyEncoding}`;
}

const mostNames = 30;

/** Names are untrusted input, so characters that control a terminal are escaped. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map((name) => escapeName(name.slice(0, 64)));
  const hidden = names.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`and ${hidden} more`] : [])].join(", ") || "none";
}

export function escapeName(name: string): string {
  return name.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const whoseKey: Record<CaptureKind, string> = {
  callback:
    "Is --public-key the service's public key? A callback is not signed with the merchant's.",
  request: "Is the key the merchant's? A request is not signed with the service's.",
};

function explainSignature(
  result: SearchResult,
  kind: CaptureKind,
  { rsaBits }: SearchKeys,
): Explanation {
  const { signature, match } = result;
  const { reached } = signature;
  switch (reached) {
    case "recovered":
      return match === undefined
        ? explainUnknownText(
            signature.schemes.map(({ scheme }) => scheme),
            result,
          )
        : explainMatch(match, result);
    case "not-encoded":
      return explanation(reached, notEncoded, "Was `sign` captured whole?");
    case "wrong-length":
      return explanation(
        reached,
        `It has ${signature.lengths.join(" or ")} bytes, but this key of ${rsaBits} bits makes signatures of ${Math.ceil(rsaBits / 8)}.`,
        whoseKey[kind],
      );
    case "other-key":
      return explanation(
        reached,
        "It was not made with the private key of this public key, or it was changed later.",
        whoseKey[kind],
        "Is the key of the same environment (sandbox or production), and from the time of the capture?",
      );
    case "not-expressible":
      return explanation(
        reached,
        `It was made with this key, as ${signature.what}, which no profile can express.`,
        "Ask the service whether it can sign with PKCS1-v1_5 and SHA-256.",
      );
  }
}

function schemeText({ signaturePadding, signatureHash }: SignatureScheme): string {
  return `${signaturePadding} with ${signatureHash}`;
}

function explainUnknownText(
  schemes: readonly SignatureScheme[],
  { textsCompared, bodyReadings }: SearchResult,
): Explanation {
  const hasPlaintext = bodyReadings.some(({ text }) => text !== undefined);
  return explanation(
    "text-unknown",
    `It was made with this key, as ${schemes.map(schemeText).join(" or ")}: key, padding and hash are right. But it matches none of the ${textsCompared.toLocaleString("en")} texts that a profile can build${hasPlaintext ? "" : " without the decrypted body"}.`,
    ...(hasPlaintext ? checksForText : []),
  );
}

const checksForText = [
  "Was the envelope changed since it was signed? A proxy, a log or an editor may have reformatted, masked or dropped a field.",
  "Ask the service for the exact text that it signs, with an example.",
  "If no profile can express that text, add it as a form of its own: its name to signedForms in shared/envelope/profile.ts, and a case to signedBytes in shared/envelope/signed-bytes.ts. This search then finds it too.",
];

function explainMatch(match: SignedTextMatch, { refusals }: SearchResult): Explanation {
  const { form, signedBody, scheme } = match;
  const json = isJsonForm(form) ? `, bodyInJson ${form.bodyInJson}` : "";
  const right = `It is right: ${schemeText(scheme)}, signedForm ${form.signedForm}${json}, signs ${signedBody.signs}.`;
  return refusals.includes("merchant-differs")
    ? explanation(
        "merchant-differs",
        `${right} But merchantId is not signed, and the body names another merchant than the envelope.`,
        "Such an envelope is rejected: it may be another merchant's. Capture one that agrees.",
      )
    : explanation("matched", `${right} Only the body remains.`);
}
