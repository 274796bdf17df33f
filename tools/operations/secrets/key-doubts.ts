import { type GoodKeys, keysInvalid, type ParsedKeys, type SecretKind } from "./inspect-keys.ts";

/** Which parts of the two are the same. */
export function compareKeys(left: ParsedKeys, right: ParsedKeys) {
  const isSameRsaKey = left.publicKey.equals(right.publicKey);
  const isSameAesKey = left.aesKey.equals(right.aesKey);
  const isSameProfile = JSON.stringify(left.profile) === JSON.stringify(right.profile);
  return { isSameRsaKey, isSameProfile, isSameAesKey, areSameKeys: isSameRsaKey && isSameAesKey };
}

/** The same keys under the same profile. */
export function isSameValue(stored: GoodKeys | undefined, added: GoodKeys): boolean {
  if (stored === undefined) return false;
  const { areSameKeys, isSameProfile } = compareKeys(added, stored);
  return areSameKeys && isSameProfile;
}

interface KeptVersions {
  readonly current?: { readonly keys?: GoodKeys | undefined } | undefined;
  readonly previous?: { readonly keys?: GoodKeys | undefined } | undefined;
}

/** Whether the previous version has the keys of the current one, as after a change of the profile alone. */
export function hasSamePrevious({ current, previous }: KeptVersions): boolean {
  if (current?.keys === undefined || previous?.keys === undefined) return false;
  return compareKeys(previous.keys, current.keys).areSameKeys;
}

/** A merchant has one AES key and one profile. They are in both secrets. */
export function differencesOf(callback: ParsedKeys, request: ParsedKeys): string[] {
  const { isSameAesKey, isSameProfile } = compareKeys(callback, request);
  return [...(isSameAesKey ? [] : ["AES key"]), ...(isSameProfile ? [] : ["wire profile"])].map(
    (what) => `Callback keys and request keys have a different ${what}.`,
  );
}

/** What may be wrong with keys that are valid. `which` names them. */
export function doubtsOf(
  { aesKey, profile, facts: { rsaBits } }: GoodKeys,
  which: string,
): string[] {
  // 32 hexadecimal digits are also base64, of 24 bytes.
  const isHex =
    aesKey.symmetricKeySize === 24 &&
    profile.keyEncoding === "base64" &&
    /^[0-9a-f]+$/i.test(aesKey.export().toString("base64"));
  const hex =
    'The AES key is read as base64 (192 bits), but it looks like hex (128 bits). If it is hex, the profile needs "keyEncoding": "hex".';
  const short = `The RSA key of the ${which} has only ${rsaBits} bits.`;
  return [...(rsaBits < 2048 ? [short] : []), ...(isHex ? [hex] : [])];
}

/** What a secret holds, and what it would get. */
export interface ChangedKeys {
  readonly kind: SecretKind;
  readonly current?: GoodKeys | undefined;
  readonly previous?: GoodKeys | undefined;
  readonly added?: GoodKeys | undefined;
}

/** What may be wrong with the new keys. Throws `keys-invalid` if they cannot be right. */
export function warningsAbout(secrets: readonly ChangedKeys[]): string[] {
  return [...secrets.flatMap(warningsOf), ...warningsOfBoth(secrets)];
}

function warningsOf({ kind, previous, added }: ChangedKeys): string[] {
  if (added === undefined) return [];
  const isReturn = previous !== undefined && compareKeys(previous, added).areSameKeys;
  const back = `The new ${kind} keys are those of the previous version: this goes back to them.`;
  return [...doubtsOf(added, `new ${kind} keys`), ...(isReturn ? [back] : [])];
}

/** Of both secrets together, as they would be. */
function warningsOfBoth(secrets: readonly ChangedKeys[]): string[] {
  const [callback, request] = secrets.map(({ current, added }) => added ?? current);
  if (callback === undefined || request === undefined) return [];
  if (!compareKeys(callback, request).isSameRsaKey) return differencesOf(callback, request);
  throw keysInvalid(
    "The service's public key is the public half of the merchant's own private key. Callbacks are signed by the service: ask it for its public key.",
  );
}
