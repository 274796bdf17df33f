import type { CaptureKind } from "./capture.ts";
import type { Explanation } from "./explain-body.ts";
import type { SearchKeys } from "./keys.ts";
import type { RecoveredSignature } from "./read-signature.ts";
import type { SearchResult, SignedTextMatch } from "./search-profiles.ts";

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
