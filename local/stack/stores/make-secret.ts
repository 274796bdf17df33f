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
  KmsKeyId: ignored,
  ReplicaRegions: ignored,
  Tags: ignored,
});
export type SecretProperties = z.infer<typeof secretSchema>;

/** Makes a secret without a value and returns its ARN. A secret from an earlier start keeps its values. */
export async function makeSecret(
  client: SecretsManagerClient,
  name: string,
  properties: SecretProperties,
): Promise<string> {
  const { Description } = properties;
  try {
    const { ARN } = await client.send(new CreateSecretCommand({ Name: name, Description }));
    return z.string().parse(ARN);
  } catch (error) {
    if (!(error instanceof ResourceExistsException)) throw error;
    const { ARN } = await client.send(new DescribeSecretCommand({ SecretId: name }));
    return z.string().parse(ARN);
  }
}
