import { textEncodings } from "../../../shared/envelope/profile.ts";
import { decodeText } from "../../../shared/envelope/text.ts";
import type { Capture } from "./capture.ts";
import type { SearchResult } from "./search-profiles.ts";

const asItWasSent =
  "Capture it as it was sent: proxies, logs and editors shorten, mask and reformat values.";
const compareKey =
  "Compare it with the key that the service shows for this merchant, in the same environment (sandbox or production).";

interface Explanation {
  readonly result: string;
  readonly action: string;
}

/** Why no profile fits, and what to do. */
const reasons = {
  "not-an-envelope": {
    result: "it is not a callback envelope",
    action: "No action is needed, unless the service sent it.",
  },
  "not-encoded": {
    result: "the body or the signature is neither base64 nor base64url nor hex",
    action: `${asItWasSent} Ask the service whether it encrypts the body.`,
  },
  "wrong-aes-key": {
    result: "the AES key does not decrypt the body",
    action: `${compareKey} If it is right, pass the IV with --iv FILE.`,
  },
  "unknown-iv": {
    result: "the AES key is right, but the IV is unknown",
    action: "Ask the service for it, or find it in its sample code, and pass it with --iv FILE.",
  },
  "not-json": {
    result: "the body decrypts, but not to a JSON object in UTF-8",
    action:
      "A wrong IV spoils its beginning: pass the IV with --iv FILE. If it is right, ask the service how it writes bodies.",
  },
  "wrong-rsa-key": {
    result: "the RSA key did not make the signature",
    action: `${compareKey} The service's key signs callbacks, the merchant's signs requests. If it is right, the envelope was changed or forged.`,
  },
  "unknown-scheme": {
    result: "the RSA key made the signature in a way that no profile can express",
    action: "Ask the service whether it can sign with PKCS1-v1_5 and SHA-256.",
  },
  "unknown-text": {
    result: "the RSA key made the signature, but of a text that no profile builds",
    action: `${asItWasSent} Otherwise ask the service for the exact text that it signs, and add it to signedBytes in shared/envelope/signed-bytes.ts.`,
  },
  "ambiguous-text": {
    result: "the signature is right, but its text fits other envelopes too",
    action:
      "Paycast rejects this. Try one without & and = in its values, without repeated names, and with one JSON value as its body.",
  },
  "merchant-differs": {
    result: "the signature is right but does not cover merchantId, and the body names another",
    action: "Paycast rejects this. Try one that names the same merchant in both places.",
  },
} as const satisfies Readonly<Record<string, Explanation>>;

export type Reason = keyof typeof reasons;

interface ReasonRow extends Explanation {
  readonly code: Reason;
}

export const noEnvelopeRow: ReasonRow = { code: "not-an-envelope", ...reasons["not-an-envelope"] };

/** What is in the way of a profile: something about the body, about the signature, or both. */
export function reasonRows(found: SearchResult, { envelope }: Capture): readonly ReasonRow[] {
  const codes = new Set([bodyReason(found, envelope.body), signatureReason(found)]);
  const scheme = schemeText(found);
  return [...codes].flatMap((code) => {
    if (code === undefined) return [];
    const { result, action } = reasons[code];
    const isAsked = code === "unknown-scheme" || code === "unknown-text";
    return [{ code, result: isAsked ? `${result}: ${scheme}` : result, action }];
  });
}

function bodyReason({ bodyReadings: [best] }: SearchResult, body: string): Reason | undefined {
  if (best === undefined) {
    const isEncoded = textEncodings.some((encoding) => decodeText(body, encoding) !== undefined);
    return isEncoded ? "wrong-aes-key" : "not-encoded";
  }
  if (best.quality === "json") return undefined;
  return best.quality === "all-but-first-block" ? "unknown-iv" : "not-json";
}

function signatureReason(found: SearchResult): Reason | undefined {
  const { reached } = found.signature;
  switch (reached) {
    case "not-encoded":
      return reached;
    case "wrong-length":
    case "other-key":
      return "wrong-rsa-key";
    case "not-expressible":
      return "unknown-scheme";
    case "recovered":
      return textReason(found);
  }
}

/** The key is right. The signed text of a body that has a reason of its own is not known. */
function textReason({ match, refusals, bodyReadings: [best] }: SearchResult): Reason | undefined {
  if (refusals.includes("merchant-differs")) return "merchant-differs";
  if (refusals.includes("wrong-signature")) return "ambiguous-text";
  return match === undefined && best?.quality === "json" ? "unknown-text" : undefined;
}

/** How the signature was made, as far as its key shows. */
function schemeText({ signature }: SearchResult): string {
  if (signature.reached === "not-expressible") return signature.what;
  if (signature.reached !== "recovered") return "";
  return signature.schemes
    .map(({ scheme }) => `${scheme.signaturePadding} with ${scheme.signatureHash}`)
    .join(" or ");
}
