import { createSecretKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { defaultProfile } from "../../shared/envelope/profile.ts";
import type { SealingKeys } from "../../shared/envelope/seal-envelope.ts";
import type { Target } from "../target/target.ts";

/** One run's keys. The private key exists only in the memory of the run. */
export interface SmokeKeys {
  readonly sealing: SealingKeys;
  /** What receive-callback needs to open what they seal. */
  readonly secretText: string;
}

export function makeSmokeKeys(): SmokeKeys {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const aesBytes = randomBytes(32);
  const servicePublicKey = publicKey.export({ type: "spki", format: "pem" }).toString();
  return {
    sealing: { profile: defaultProfile, aesKey: createSecretKey(aesBytes), privateKey },
    secretText: JSON.stringify({ aesKey: aesBytes.toString("base64"), servicePublicKey }),
  };
}

/**
 * Stores what opens the callback. Nothing has to be removed afterwards, also not after a crash: without the private key
 * nobody can sign for these keys.
 */
export async function putSmokeKeys(
  { clients }: Target,
  SecretId: string,
  { secretText: SecretString }: SmokeKeys,
): Promise<void> {
  await clients.secretsManager.send(new PutSecretValueCommand({ SecretId, SecretString }));
}
