import * as z from "zod/mini";
import { describeIssues } from "../../shared/describe-issues.ts";
import { readProfile } from "../../shared/envelope/profile.ts";
import { withoutByteOrderMark } from "../../shared/envelope/text.ts";
import { parseJson } from "../../shared/parse-json.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { SecretKind } from "./inspect-keys.ts";
import { checkAesKeyText, readPrivateKeyText, readPublicKeyText } from "./read-key-text.ts";
import type { StoredKeys } from "./stored-keys.ts";

/** The contents of an operator's key files. What is left out stays as it is in the current version. */
export interface GivenKeys {
  /** A whole secret, as JSON. */
  readonly callbackKeys?: string | undefined;
  readonly requestKeys?: string | undefined;
  readonly aesKey?: string | undefined;
  readonly servicePublicKey?: string | undefined;
  readonly merchantPrivateKey?: string | undefined;
  /** As JSON. */
  readonly profile?: string | undefined;
}

/** The content of a secret. Its RSA key has another name in each kind. */
export interface SecretFields {
  readonly aesKey: string;
  readonly rsaKey: string;
  readonly profile?: unknown;
}

const rsaFields = { callback: "servicePublicKey", request: "merchantPrivateKey" } as const;
const files = { callback: "callbackKeys", request: "requestKeys" } as const;

const wholeSecrets = {
  callback: z.strictObject({
    aesKey: z.string(),
    servicePublicKey: z.string(),
    profile: z.optional(z.unknown()),
  }),
  request: z.strictObject({
    aesKey: z.string(),
    merchantPrivateKey: z.string(),
    profile: z.optional(z.unknown()),
  }),
};

/**
 * The new content of a secret: from a whole file, or from single parts and the current version. Undefined if nothing
 * was given for it. Throws `keys-invalid` or `profile-invalid`, and says which part is missing or wrong.
 */
export function composeKeys(stored: StoredKeys, given: GivenKeys): SecretFields | undefined {
  const { kind } = stored;
  const whole = given[files[kind]];
  const fields = whole === undefined ? fromParts(stored, given) : readWhole(kind, whole);
  return fields && checkedFields(kind, fields);
}

/** The secret as the functions read it. */
export function secretText(kind: SecretKind, { aesKey, rsaKey, profile }: SecretFields): string {
  return JSON.stringify({
    aesKey,
    [rsaFields[kind]]: rsaKey,
    ...(profile !== undefined && { profile }),
  });
}

function readWhole(kind: SecretKind, text: string): SecretFields {
  const json = parseJson(withoutByteOrderMark(text));
  if (json === undefined) throw invalid(`The file of the ${kind} keys is not JSON.`);
  if (kind === "callback" && isObject(json) && "merchantPrivateKey" in json) {
    throw invalid(
      "The callback keys must not hold merchantPrivateKey: the function that faces the internet reads them. It belongs into the request keys.",
    );
  }
  const read = wholeSecrets[kind].safeParse(json);
  if (!read.success) {
    throw invalid(`The file of the ${kind} keys: ${describeIssues(read.error, "it")}.`);
  }
  const { aesKey, profile } = read.data;
  const rsaKey =
    "servicePublicKey" in read.data ? read.data.servicePublicKey : read.data.merchantPrivateKey;
  return { aesKey, rsaKey, ...(profile !== undefined && { profile }) };
}

function fromParts({ kind, current }: StoredKeys, given: GivenKeys): SecretFields | undefined {
  const givenRsaKey = given[rsaFields[kind]];
  const isGiven = [given.aesKey, given.profile, givenRsaKey].some((part) => part !== undefined);
  if (!isGiven) return undefined;
  const kept = current && keptFields(kind, current.text);
  const aesKey = given.aesKey ?? kept?.aesKey;
  const rsaKey = givenRsaKey ?? kept?.rsaKey;
  const profile = given.profile === undefined ? kept?.profile : readJson(given.profile);
  if (aesKey !== undefined && rsaKey !== undefined) {
    return { aesKey, rsaKey, ...(profile !== undefined && { profile }) };
  }
  // An AES key alone may be meant for the other secret, if this one was never set.
  if (rsaKey === undefined && givenRsaKey === undefined) return undefined;
  throw invalid(`The ${kind} keys need an AES key, and no current version has one: give it too.`);
}

const keptSchema = z.object({
  aesKey: z.optional(z.string()),
  servicePublicKey: z.optional(z.string()),
  merchantPrivateKey: z.optional(z.string()),
  profile: z.optional(z.unknown()),
});

function keptFields(kind: SecretKind, text: string): Partial<SecretFields> {
  const read = keptSchema.safeParse(parseJson(text));
  if (!read.success) return {};
  const { aesKey, profile } = read.data;
  const rsaKey = read.data[rsaFields[kind]];
  return {
    ...(aesKey !== undefined && { aesKey }),
    ...(rsaKey !== undefined && { rsaKey }),
    ...(profile !== undefined && { profile }),
  };
}

function checkedFields(kind: SecretKind, fields: SecretFields): SecretFields {
  const field = rsaFields[kind];
  const read = kind === "callback" ? readPublicKeyText : readPrivateKeyText;
  const rsaKey = read(fields.rsaKey, field);
  checkAesKeyText(fields.aesKey, "aesKey", readProfile(fields.profile ?? {}));
  return { ...fields, rsaKey };
}

function readJson(text: string): unknown {
  const json = parseJson(withoutByteOrderMark(text));
  if (json !== undefined) return json;
  throw new PaycastError("profile-invalid", "The file of the profile is not JSON.");
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function invalid(message: string): PaycastError {
  return new PaycastError("keys-invalid", message);
}
