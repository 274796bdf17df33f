import type { KeyObject } from "node:crypto";
import * as z from "zod";
import {
  merchantsProfile,
  profileSchema,
  type WireProfile,
  type WireProfileInput,
} from "../wire/profile.ts";
import {
  makeAesKey,
  makeRsaKeys,
  readAesKey,
  readPrivateKey,
  readPublicKey,
} from "./key-material.ts";

/** The keys that the service has for a merchant: the shared AES key, the merchant's public key, its own private key. */
export interface SimulatorMerchant {
  merchantId: string;
  aesKey: string;
  merchantPublicKey: string;
  servicePrivateKey: string;
  profile?: WireProfileInput;
}

export const simulatorMerchantSchema = z.strictObject({
  merchantId: z.string().regex(/^[A-Za-z0-9_-]{1,18}$/, "must be 1 to 18 letters, digits, - or _"),
  aesKey: z.string().min(1),
  merchantPublicKey: z.string().min(1),
  servicePrivateKey: z.string().min(1),
  profile: profileSchema.exactOptional(),
});

export interface ServiceKeys {
  readonly aesKeyText: string;
  readonly aesKey: Buffer;
  readonly merchantPublicKey: KeyObject;
  readonly servicePrivateKey: KeyObject;
}

export interface Merchant {
  readonly merchantId: string;
  readonly profile: WireProfile;
  /** For callbacks that the service sends. */
  sealing: ServiceKeys;
  /** For requests of the merchant, newest first. After rotations a merchant may still use earlier keys. */
  accepted: readonly ServiceKeys[];
}

/** Throws an error that names the field and contains no value. */
export function readMerchant(input: SimulatorMerchant): Merchant {
  const read = simulatorMerchantSchema.safeParse(input);
  if (!read.success) {
    throw new Error(`The keys of a merchant are not valid:\n${z.prettifyError(read.error)}`);
  }
  const profile = profileSchema.parse(read.data.profile ?? {});
  const sealing: ServiceKeys = {
    aesKeyText: input.aesKey,
    aesKey: readAesKey(input.aesKey, profile.keyEncoding),
    merchantPublicKey: readPublicKey(
      "merchantPublicKey",
      input.merchantPublicKey,
      profile.minimumRsaBits,
    ),
    servicePrivateKey: readPrivateKey(
      "servicePrivateKey",
      input.servicePrivateKey,
      profile.minimumRsaBits,
    ),
  };
  return { merchantId: input.merchantId, profile, sealing, accepted: [sealing] };
}

/** Both sides of a merchant's keys. The merchant's side has two parts, one for each secret. */
export interface MadeMerchant {
  service: SimulatorMerchant;
  callbackKeys: { aesKey: string; servicePublicKey: string; profile?: WireProfileInput };
  requestKeys: { aesKey: string; merchantPrivateKey: string; profile?: WireProfileInput };
}

export async function makeMerchant(
  merchantId: string,
  profile?: WireProfileInput,
): Promise<MadeMerchant> {
  const [service, merchant] = await Promise.all([makeRsaKeys(), makeRsaKeys()]);
  const aesKey = makeAesKey(profile?.keyEncoding ?? "base64");
  const shared = {
    aesKey,
    ...(profile === undefined ? {} : { profile: merchantsProfile(profile) }),
  };
  return {
    service: {
      merchantId,
      ...shared,
      ...(profile === undefined ? {} : { profile }),
      merchantPublicKey: merchant.publicKey,
      servicePrivateKey: service.privateKey,
    },
    callbackKeys: { ...shared, servicePublicKey: service.publicKey },
    requestKeys: { ...shared, merchantPrivateKey: merchant.privateKey },
  };
}

/** The service's side as text, for a file. */
export function serviceSide(
  { merchantId, profile }: Merchant,
  keys: ServiceKeys,
): SimulatorMerchant {
  return {
    merchantId,
    aesKey: keys.aesKeyText,
    merchantPublicKey: keys.merchantPublicKey.export({ type: "spki", format: "pem" }).toString(),
    servicePrivateKey: keys.servicePrivateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    profile,
  };
}
