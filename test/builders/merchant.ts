import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import type { CallbackKeys, KeyVersion } from "../../shared/envelope/open-callback.ts";
import { type Profile, type ProfileInput, readProfile } from "../../shared/envelope/profile.ts";
import type { SealingKeys } from "../../shared/envelope/seal-envelope.ts";
import pairs from "../vectors/keys.json" with { type: "json" };

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

const ofService = pairOf("test-jdk-2048");
const ofMerchant = pairOf("test-openssl-2048");

/** The same two pairs in every test: to make an RSA pair takes about half a second. */
export const servicePair = (): RsaPair => ofService;
export const merchantPair = (): RsaPair => ofMerchant;

function pairOf(name: "test-jdk-2048" | "test-openssl-2048"): RsaPair {
  const { public: published, private: own } = pairs[name];
  return {
    publicKey: createPublicKey(published.spkiPem),
    privateKey: createPrivateKey(own.pkcs8Pem),
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
