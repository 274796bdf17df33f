import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import type { SecretVersion } from "./keys-in-secret.ts";

/** Reads one version of a secret; undefined if the secret or that version has no value. */
export type ReadSecret = (
  secretId: string,
  versionStage: "AWSCURRENT" | "AWSPREVIOUS",
  signal: AbortSignal,
) => Promise<SecretVersion | undefined>;

export function createSecretReader(client = new SecretsManagerClient()): ReadSecret {
  return async (secretId, versionStage, signal) => {
    const command = new GetSecretValueCommand({ SecretId: secretId, VersionStage: versionStage });
    try {
      const answer = await client.send(command, { abortSignal: signal });
      return {
        versionId: answer.VersionId ?? "",
        createdAtMilliseconds: answer.CreatedDate?.getTime() ?? 0,
        text: answer.SecretString ?? "",
      };
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  };
}
