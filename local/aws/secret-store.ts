import { randomBytes } from "node:crypto";
import { localAccountId, localRegion } from "./emulator.ts";
import { type Secret, SecretsManagerError } from "./secret-versions.ts";

export interface SecretStore {
  readonly secrets: Secret[];
  nowSeconds(): number;
  /** Called after each change, before the answer. */
  changed(): void;
}

export function addSecret(
  store: SecretStore,
  name: string,
  description: string | undefined,
): Secret {
  if (store.secrets.some((secret) => secret.name === name)) {
    throw new SecretsManagerError(
      "ResourceExistsException",
      `The operation failed because the secret ${name} already exists.`,
    );
  }
  const suffix = randomBytes(3).toString("hex");
  const arn = `arn:aws:secretsmanager:${localRegion}:${localAccountId}:secret:${name}-${suffix}`;
  const secret = { name, arn, description, createdSeconds: store.nowSeconds(), versions: [] };
  store.secrets.push(secret);
  return secret;
}

/** Finds a secret by name, by ARN, or by the ARN without its random end (seven characters). */
export function findSecret(store: SecretStore, id: string): Secret {
  const found = store.secrets.find(
    ({ name, arn }) => id === name || id === arn || id === arn.slice(0, -7),
  );
  if (found !== undefined) return found;
  throw new SecretsManagerError(
    "ResourceNotFoundException",
    "Secrets Manager can't find the specified secret.",
  );
}

export function describeSecret(secret: Secret) {
  const staged = secret.versions.filter(({ stages }) => stages.length > 0);
  return {
    ARN: secret.arn,
    Name: secret.name,
    Description: secret.description,
    CreatedDate: secret.createdSeconds,
    LastChangedDate: secret.versions.at(-1)?.createdSeconds ?? secret.createdSeconds,
    VersionIdsToStages: Object.fromEntries(staged.map(({ id, stages }) => [id, stages])),
  };
}
