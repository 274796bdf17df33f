import { randomBytes } from "node:crypto";
import {
  CreateSecretCommand,
  DescribeSecretCommand,
  ResourceExistsException,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import * as z from "zod";
import { ignored } from "../template/template.ts";

export const secretSchema = z.strictObject({
  Name: z.string().optional(),
  Description: z.string().optional(),
  SecretString: z.string().optional(),
  GenerateSecretString: z
    .strictObject({
      SecretStringTemplate: z.string().optional(),
      GenerateStringKey: z.string().optional(),
      PasswordLength: z.coerce.number().int().min(1).optional(),
      ExcludeCharacters: ignored,
      ExcludeLowercase: ignored,
      ExcludeNumbers: ignored,
      ExcludePunctuation: ignored,
      ExcludeUppercase: ignored,
      IncludeSpace: ignored,
      RequireEachIncludedType: ignored,
    })
    .optional(),
  KmsKeyId: ignored,
  ReplicaRegions: ignored,
  Tags: ignored,
});
export type SecretProperties = z.infer<typeof secretSchema>;

/** Makes the secret and returns its ARN. A secret from an earlier start keeps its values. */
export async function makeSecret(
  client: SecretsManagerClient,
  name: string,
  properties: SecretProperties,
): Promise<string> {
  const { Description } = properties;
  const SecretString = initialValue(properties);
  try {
    const { ARN } = await client.send(
      new CreateSecretCommand({ Name: name, Description, SecretString }),
    );
    return z.string().parse(ARN);
  } catch (error) {
    if (!(error instanceof ResourceExistsException)) throw error;
    const { ARN } = await client.send(new DescribeSecretCommand({ SecretId: name }));
    return z.string().parse(ARN);
  }
}

/** Like CloudFormation: a secret without a value and without a generator gets no version. */
function initialValue(properties: SecretProperties): string | undefined {
  const { SecretString, GenerateSecretString: generate } = properties;
  if (SecretString !== undefined || generate === undefined) return SecretString;
  const password = randomBytes(generate.PasswordLength ?? 32)
    .toString("hex")
    .slice(0, generate.PasswordLength ?? 32);
  if (generate.SecretStringTemplate === undefined) return password;
  const template = z
    .record(z.string(), z.unknown())
    .parse(JSON.parse(generate.SecretStringTemplate));
  return JSON.stringify({ ...template, [generate.GenerateStringKey ?? "password"]: password });
}
