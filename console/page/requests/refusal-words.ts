/** Why receive-callback refused a request, for a person. The sender learns none of it. */
const words: Readonly<Record<string, string>> = {
  "source-not-allowed": "The sender's address is not one that the config allows.",
  "too-large": "The request is larger than 256 KiB.",
  "empty-body": "The body is empty. npx paycast check sends such a request.",
  "not-base64": "The body is not what API Gateway said it is.",
  "not-utf-8": "The body is not UTF-8.",
  "not-json": "The body is not JSON.",
  "not-an-envelope": "The body is not a callback.",
  "unknown-merchant": "It names a merchant that this stack does not have.",
  "cannot-decrypt": "The body does not decrypt with the merchant's AES key.",
  "wrong-signature": "The signature is not one of the service's key.",
  "merchant-differs": "The result object inside is for another merchant.",
  "too-old": "The timestamp is too old: somebody may have sent an old callback again.",
  "too-new": "The timestamp is in the future.",
  "keys-unset": "The merchant has no keys yet.",
  "keys-invalid": "The merchant's keys cannot be read.",
  "keys-unreachable": "Secrets Manager did not give the merchant's keys.",
  "inbox-unavailable": "The inbox did not take it.",
};

/** Undefined if there is nothing to add to the code. */
export function refusalWords(reason: string | undefined): string | undefined {
  return reason === undefined ? undefined : words[reason];
}
