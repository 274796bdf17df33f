import { createPrivateKey, createPublicKey } from "node:crypto";
import { merchantsProfile, type WireProfileInput } from "../wire/profile.ts";
import { makeAesKey, makeRsaKeys, publicHalf, readAesKey } from "./key-material.ts";
import {
  type Merchant,
  type ServiceKeys,
  type SimulatorMerchant,
  serviceSide,
} from "./merchant.ts";

export const rotatableKeys = ["aesKey", "serviceKey", "merchantKey"] as const;

export interface RotateOptions {
  /** The keys to change. Default: the two that the service issues. */
  keys?: readonly (typeof rotatableKeys)[number][] | undefined;
  /**
   * Whether the service still accepts requests with all earlier keys. Default true: a merchant may look for new keys
   * only every few minutes, and two rotations can happen within that time.
   */
  keepPrevious?: boolean | undefined;
}

/** The result of a rotation: the content of the merchant's two secrets, and the service's own side. */
export interface RotatedKeys {
  merchantId: string;
  service: SimulatorMerchant;
  callbackKeys: { aesKey: string; servicePublicKey: string; profile: WireProfileInput };
  /** Without `merchantPrivateKey` the merchant keeps its private key. */
  requestKeys: { aesKey: string; merchantPrivateKey?: string; profile: WireProfileInput };
}

/**
 * Calls `store` first and waits for it. Until it is done, requests with old and new keys are accepted and callbacks use
 * the old keys. If `store` fails, nothing changes.
 */
export async function rotateKeys(
  merchant: Merchant,
  options: RotateOptions,
  store: (rotated: RotatedKeys) => Promise<void> | void,
): Promise<RotatedKeys> {
  const before = merchant.accepted;
  const { keys, rotated } = await makeNextKeys(merchant, options.keys ?? ["aesKey", "serviceKey"]);
  merchant.accepted = [keys, ...before];
  try {
    await store(rotated);
  } catch (error) {
    merchant.accepted = before;
    throw error;
  }
  merchant.accepted = (options.keepPrevious ?? true) ? [keys, ...before] : [keys];
  merchant.sealing = keys;
  return rotated;
}

/** From now on the service accepts only requests with the newest keys. */
export function dropOldKeys(merchant: Merchant): void {
  merchant.accepted = [merchant.sealing];
}

async function makeNextKeys(
  merchant: Merchant,
  changed: NonNullable<RotateOptions["keys"]>,
): Promise<{ keys: ServiceKeys; rotated: RotatedKeys }> {
  const { profile, sealing, merchantId } = merchant;
  const ownProfile = merchantsProfile(profile);
  const service = changed.includes("serviceKey") ? await makeRsaKeys() : undefined;
  const own = changed.includes("merchantKey") ? await makeRsaKeys() : undefined;
  const aesKey = changed.includes("aesKey") ? makeAesKey(profile.keyEncoding) : sealing.aesKeyText;
  const keys: ServiceKeys = {
    aesKeyText: aesKey,
    aesKey: readAesKey(aesKey, profile.keyEncoding),
    merchantPublicKey: own ? createPublicKey(own.publicKey) : sealing.merchantPublicKey,
    servicePrivateKey: service ? createPrivateKey(service.privateKey) : sealing.servicePrivateKey,
  };
  const rotated: RotatedKeys = {
    merchantId,
    service: serviceSide(merchant, keys),
    callbackKeys: {
      aesKey,
      servicePublicKey: publicHalf(keys.servicePrivateKey),
      profile: ownProfile,
    },
    requestKeys: {
      aesKey,
      ...(own ? { merchantPrivateKey: own.privateKey } : {}),
      profile: ownProfile,
    },
  };
  return { keys, rotated };
}
