import * as z from "zod/mini";
import type { CallbackKeys } from "../envelope/open-callback.ts";
import { type Profile, readProfile } from "../envelope/profile.ts";
import type { SealingKeys } from "../envelope/seal-envelope.ts";
import { canSign } from "../envelope/signature.ts";
import { describeIssues } from "../errors/describe-issues.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import { parseJson } from "../json/parse-json.ts";
import { parseAesKey, parsePrivateKey, parsePublicKey } from "./parse-keys.ts";

/**
 * A merchant has two secrets, so that the function that faces the internet never holds the key that signs orders. Error
 * messages name the wrong field, never its value.
 */
const callbackSecret = z.object({
  aesKey: z.string(),
  servicePublicKey: z.string(),
  profile: z.optional(z.unknown()),
});

const requestSecret = z.object({
  aesKey: z.string(),
  merchantPrivateKey: z.string(),
  profile: z.optional(z.unknown()),
});

/** One version of a secret, as Secrets Manager returns it. */
export interface SecretVersion {
  readonly versionId: string;
  readonly createdAtMilliseconds: number;
  readonly text: string;
}

/** Reads callback keys, which only verify and decrypt. Throws `keys-invalid` or `profile-invalid`. */
export function readCallbackKeys(secret: Pick<SecretVersion, "text">): CallbackKeys {
  const fields = readSecret(callbackSecret, secret.text);
  const profile = profileOf(fields);
  return {
    profile,
    aesKey: parseAesKey(fields.aesKey, "aesKey", profile.keyEncoding),
    servicePublicKey: parsePublicKey(fields.servicePublicKey, "servicePublicKey", profile),
  };
}

/** Reads request keys, which sign orders. Throws `keys-invalid` or `profile-invalid`. */
export function readRequestKeys(secret: Pick<SecretVersion, "text">): SealingKeys {
  const fields = readSecret(requestSecret, secret.text);
  const profile = profileOf(fields);
  const privateKey = parsePrivateKey(fields.merchantPrivateKey, "merchantPrivateKey", profile);
  if (!canSign(privateKey, profile)) throw cannotSign(profile);
  return {
    profile,
    aesKey: parseAesKey(fields.aesKey, "aesKey", profile.keyEncoding),
    privateKey,
  };
}

function cannotSign({ signatureHash }: Profile): PaycastError {
  return new PaycastError(
    "keys-invalid",
    `merchantPrivateKey must allow the profile's signatureHash, ${signatureHash}: the parameters of this RSA-PSS key forbid it.`,
  );
}

function profileOf(fields: { profile?: unknown }): Profile {
  return readProfile(fields.profile ?? {});
}

function readSecret<T extends z.ZodMiniType>(schema: T, text: string): z.output<T> {
  const json = parseJson(text);
  if (json === undefined) throw new PaycastError("keys-invalid", "The secret is not JSON.");
  const fields = schema.safeParse(json);
  if (fields.success) return fields.data;
  throw new PaycastError(
    "keys-invalid",
    `The secret's ${describeIssues(fields.error, "JSON")}; it holds { aesKey, servicePublicKey | merchantPrivateKey, profile? }.`,
  );
}
