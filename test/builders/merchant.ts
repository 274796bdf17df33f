import { createSecretKey, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import type { CallbackKeys, KeyVersion } from "../../shared/envelope/open-callback.ts";
import { type Profile, type ProfileInput, readProfile } from "../../shared/envelope/profile.ts";
import type { SealingKeys } from "../../shared/envelope/seal-envelope.ts";

export interface RsaPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** A merchant as both sides of the wire see it. */
export interface TestMerchant {
  readonly merchantId: string;
  readonly profile: Profile;
  /** What the service seals callbacks with. */
  readonly service: SealingKeys;
  /** What the merchant opens them with. */
  readonly version: KeyVersion<CallbackKeys>;
  /** The two secrets, as they stand in Secrets Manager. */
  readonly callbackSecret: () => string;
  readonly requestSecret: () => string;
}

export interface MerchantOptions {
  readonly merchantId?: string;
  readonly profile?: ProfileInput;
  readonly aesKeyBytes?: 16 | 24 | 32;
  readonly versionId?: string;
  readonly stage?: "current" | "previous";
  readonly servicePair?: RsaPair;
}

/** Making RSA keys is slow: a test file makes these two once, and only if it uses them. */
export const servicePair = once(() => generateKeyPairSync("rsa", { modulusLength: 2048 }));
export const merchantPair = once(() => generateKeyPairSync("rsa", { modulusLength: 2048 }));

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

export function makeMerchant(options: MerchantOptions = {}): TestMerchant {
  const profile = readProfile(options.profile ?? {});
  const aesText = randomAesText(options.aesKeyBytes ?? 32);
  const aesKey = createSecretKey(Buffer.from(aesText));
  const service = options.servicePair ?? servicePair();
  const common = { aesKey: encodeAesText(aesText, profile), profile: options.profile };
  return {
    merchantId: options.merchantId ?? "208800000000000001",
    profile,
    service: { profile, aesKey, privateKey: service.privateKey },
    version: {
      versionId: options.versionId ?? "version-1",
      stage: options.stage ?? "current",
      keys: { profile, aesKey, servicePublicKey: service.publicKey },
    },
    callbackSecret: () => JSON.stringify({ ...common, servicePublicKey: publicPem(service) }),
    requestSecret: () =>
      JSON.stringify({ ...common, merchantPrivateKey: privatePem(merchantPair()) }),
  };
}

export function publicPem({ publicKey }: RsaPair): string {
  return publicKey.export({ type: "spki", format: "pem" }).toString();
}

export function privatePem({ privateKey }: RsaPair): string {
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** Printable, so that every key encoding of the profile can spell it. */
function randomAesText(bytes: number): string {
  return randomBytes(bytes).toString("hex").slice(0, bytes);
}

function encodeAesText(text: string, profile: Profile): string {
  return profile.keyEncoding === "utf-8" ? text : Buffer.from(text).toString(profile.keyEncoding);
}
