import { X509Certificate } from "node:crypto";
import * as z from "zod";
import { keyEncodings, type Profile, readProfile } from "../../../shared/envelope/profile.ts";
import { withoutByteOrderMark } from "../../../shared/envelope/text.ts";
import { describeIssues } from "../../../shared/errors/describe-issues.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { parseAesKey, parsePrivateKey, parsePublicKey } from "../../../shared/keys/parse-keys.ts";
import { keyFile } from "../described/fields.ts";
import { keysInvalid, type SecretKind } from "./inspect-keys.ts";

/** An operator's files of keys: whole secrets, or single parts of them. */
export const keyFiles = {
  callbackKeys: keyFile('{ "aesKey", "servicePublicKey", "profile"? } as JSON'),
  requestKeys: keyFile('{ "aesKey", "merchantPrivateKey", "profile"? } as JSON'),
  aesKey: keyFile("the AES key, for both secrets"),
  servicePublicKey: keyFile("PEM, bare base64, or a certificate; for the callback keys"),
  merchantPrivateKey: keyFile("PEM or bare base64, without a passphrase; for the request keys"),
  profile: keyFile("the wire profile as JSON, for both secrets"),
};
/** The content of the files. Omitted parts stay as they are in the current version. */
export type GivenKeys = Readonly<Partial<Record<keyof typeof keyFiles, string | undefined>>>;

/** What is wrong with the choice of files, as a predicate; undefined if it is clear. */
export function fileFault(given: GivenKeys): string | undefined {
  const isGiven = (name: keyof GivenKeys) => given[name] !== undefined;
  const areWholes = isGiven("callbackKeys") || isGiven("requestKeys");
  const areParts = (["aesKey", "servicePublicKey", "merchantPrivateKey", "profile"] as const).some(
    isGiven,
  );
  if (areWholes !== areParts) return undefined;
  return areParts
    ? "must have no options for single parts beside --callback-keys and --request-keys, which hold everything"
    : "must have the files of the keys, such as --callback-keys FILE";
}

/** The secret that gets new keys, with what its current version holds. */
interface Secret {
  readonly kind: SecretKind;
  readonly current?: { readonly text: string } | undefined;
}

const inBoth = { aesKey: z.string(), profile: z.unknown().optional() };
const rsaKeys = { servicePublicKey: z.string(), merchantPrivateKey: z.string() };
const { servicePublicKey, merchantPrivateKey } = rsaKeys;
const wholeSecrets = {
  callback: z.strictObject({ ...inBoth, servicePublicKey }),
  request: z.strictObject({ ...inBoth, merchantPrivateKey }),
};
/** Any of them: what a current version has, and what a file may hold by mistake. */
const partsSchema = z.object({ ...inBoth, ...rsaKeys }).partial();

/**
 * The new content of a secret: from a whole file, or from single parts and the current version. Undefined if nothing
 * was given for it. Throws `keys-invalid` or `profile-invalid`, and says which part is missing or wrong.
 */
export function composeKeys(stored: Secret, given: GivenKeys): string | undefined {
  const { kind } = stored;
  const whole = kind === "callback" ? given.callbackKeys : given.requestKeys;
  const content = whole === undefined ? fromParts(stored, given) : fromFile(kind, whole);
  return content === undefined ? undefined : checkedText(kind, content);
}

function fromFile(kind: SecretKind, text: string): unknown {
  const json = parseJson(withoutByteOrderMark(text));
  if (json === undefined) throw keysInvalid(`The file of the ${kind} keys is not JSON.`);
  if (kind === "callback" && partsSchema.safeParse(json).data?.merchantPrivateKey !== undefined) {
    throw keysInvalid(
      "The callback keys must not hold merchantPrivateKey: the function that faces the internet reads them. It belongs into the request keys.",
    );
  }
  return json;
}

function fromParts({ kind, current }: Secret, given: GivenKeys): unknown {
  const rsaField = kind === "callback" ? "servicePublicKey" : "merchantPrivateKey";
  const ofFile = given.profile === undefined ? undefined : readProfileFile(given.profile);
  const isGiven = [given.aesKey, ofFile, given[rsaField]].some((part) => part !== undefined);
  const kept = partsSchema.safeParse(parseJson(current?.text ?? "")).data ?? {};
  const rsaKey = given[rsaField] ?? kept[rsaField];
  // An AES key alone may be meant for the other secret, if this one was never set.
  if (!isGiven || rsaKey === undefined) return undefined;
  const aesKey = given.aesKey ?? kept.aesKey;
  if (aesKey === undefined) {
    throw keysInvalid(
      `The ${kind} keys need an AES key, and no current version has one: give it too.`,
    );
  }
  const profile = ofFile === undefined ? kept.profile : ofFile;
  return { aesKey, [rsaField]: rsaKey, ...(profile !== undefined && { profile }) };
}

function readProfileFile(text: string): unknown {
  const json = parseJson(withoutByteOrderMark(text));
  if (json !== undefined) return json;
  throw new PaycastError("profile-invalid", "The file of the profile is not JSON.");
}

/** The secret as the functions read it. */
function checkedText(kind: SecretKind, content: unknown): string {
  const read = wholeSecrets[kind].safeParse(content);
  if (!read.success) {
    throw keysInvalid(`The file of the ${kind} keys: ${describeIssues(read.error, "it")}.`);
  }
  const { aesKey, profile } = read.data;
  const rsaKey =
    "servicePublicKey" in read.data
      ? { servicePublicKey: readPublicKey(read.data.servicePublicKey) }
      : { merchantPrivateKey: readPrivateKey(read.data.merchantPrivateKey) };
  checkAesKey(aesKey, readProfile(profile ?? {}));
  return JSON.stringify({ aesKey, ...rsaKey, profile });
}

/** The weakest rules that a profile can have: here the form is read, the profile's rules are checked later. */
const anyRules = { minimumRsaBits: 1024, signaturePadding: "PSS" } as const;

/** A certificate gives its key. */
function readPublicKey(text: string): string {
  const field = "servicePublicKey";
  if (text.includes("BEGIN CERTIFICATE")) return keyOfCertificate(text, field);
  if (/^\s*ssh-/.test(text)) {
    throw keysInvalid(
      `${field} is in the form of SSH. Convert it with "ssh-keygen -e -m PKCS8 -f FILE".`,
    );
  }
  parsePublicKey(text, field, anyRules);
  return text;
}

function keyOfCertificate(text: string, field: string): string {
  try {
    const { publicKey } = new X509Certificate(text);
    return publicKey.export({ type: "spki", format: "pem" }).toString();
  } catch {
    throw keysInvalid(`${field} is a certificate that cannot be read.`);
  }
}

/** Forms of a private key that the functions do not read, and what to do. */
const foreignForms = [
  [
    /ENCRYPTED/,
    'is protected by a passphrase, which a function cannot type. Take the passphrase off with "openssl pkey -in FILE -out PLAIN_FILE".',
  ],
  [
    /BEGIN OPENSSH PRIVATE KEY/,
    'is in the form of OpenSSH. Convert it with "ssh-keygen -p -m PKCS8 -f FILE".',
  ],
  [
    /BEGIN (CERTIFICATE|[A-Z ]*PUBLIC KEY)/,
    "must be the merchant's private key, but is a public one.",
  ],
] as const;

function readPrivateKey(text: string): string {
  const field = "merchantPrivateKey";
  const [, problem] = foreignForms.find(([form]) => form.test(text)) ?? [];
  if (problem !== undefined) throw keysInvalid(`${field} ${problem}`);
  parsePrivateKey(text, field, anyRules);
  return text;
}

/** If the key would be good in another encoding, the message names it. */
function checkAesKey(text: string, { keyEncoding }: Profile): void {
  const faultIn = (encoding: Profile["keyEncoding"]) => {
    try {
      parseAesKey(text, "aesKey", encoding);
      return undefined;
    } catch (error) {
      if (error instanceof PaycastError) return error.message;
      throw error;
    }
  };
  const fault = faultIn(keyEncoding);
  if (fault === undefined) return;
  const fitting = keyEncodings.filter((encoding) => faultIn(encoding) === undefined);
  if (fitting.length === 0) throw keysInvalid(fault);
  const hint = `It is an AES key in ${fitting.join(" or ")}: say so with "keyEncoding" in the profile.`;
  throw keysInvalid(`${fault} ${hint}`);
}
