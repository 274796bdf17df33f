import { randomInt } from "node:crypto";
import {
  CreateSecretCommand,
  DescribeSecretCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import * as z from "zod";
import type { AwsClients } from "../../aws/aws-clients.ts";
import {
  type DeclaredResource,
  physicalName,
  type StackContext,
} from "../template/stack-context.ts";
import { ignored, StackError } from "../template/template.ts";
import { type Located, locate } from "./make-data-stores.ts";

export interface MadeSecret extends Located {
  readonly name: string;
  readonly arn: string;
}

const secretSchema = z.strictObject({
  Description: z.string().optional(),
  GenerateSecretString: z
    .strictObject({ PasswordLength: z.int(), ExcludePunctuation: z.literal(true) })
    .optional(),
  KmsKeyId: ignored,
});

interface WantedSecret {
  readonly declared: DeclaredResource;
  readonly name: string;
  readonly properties: z.output<typeof secretSchema>;
  /** Set for a secret from an earlier start, which keeps its values. */
  readonly keptArn: string | undefined;
}

/** A secret without a value, or with a random one, as the template says. */
export async function makeSecrets(context: StackContext, aws: AwsClients): Promise<MadeSecret[]> {
  const client = aws.secretsmanager;
  const wanted = await Promise.all(
    context.declared("AWS::SecretsManager::Secret").map(async (declared): Promise<WantedSecret> => {
      const properties = context.properties(secretSchema, declared);
      const name = physicalName(context.stackName, declared.logicalId, 512);
      return { declared, name, properties, keptArn: await findArn(client, name) };
    }),
  );
  refuseUnstampedData(wanted);
  return await Promise.all(
    wanted.map(async (secret) => {
      const arn = secret.keptArn ?? (await createSecret(client, secret));
      context.setSecretArn(secret.declared.logicalId, arn);
      return { ...locate(secret.declared), name: secret.name, arn };
    }),
  );
}

/** A new stamp key would invalidate all kept messages. */
function refuseUnstampedData(wanted: readonly WantedSecret[]): void {
  const isKept = wanted.some(({ keptArn }) => keptArn !== undefined);
  const isNew = ({ keptArn, properties }: WantedSecret) =>
    properties.GenerateSecretString !== undefined && keptArn === undefined;
  if (!isKept || !wanted.some(isNew)) return;
  throw new StackError(
    "local-data-outdated",
    "The kept data has no stamp key, because it comes from an earlier version whose messages are no longer valid. Delete the folder data in .paycast (or in PAYCAST_DIRECTORY), or start without --keep.",
  );
}

async function findArn(client: SecretsManagerClient, SecretId: string) {
  try {
    return (await client.send(new DescribeSecretCommand({ SecretId }))).ARN;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function createSecret(
  client: SecretsManagerClient,
  { name: Name, properties: { Description, GenerateSecretString } }: WantedSecret,
): Promise<string> {
  const SecretString = GenerateSecretString && randomText(GenerateSecretString.PasswordLength);
  const command = new CreateSecretCommand({ Name, Description, SecretString });
  return z.string().parse((await client.send(command)).ARN);
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

function randomText(length: number): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join("");
}
