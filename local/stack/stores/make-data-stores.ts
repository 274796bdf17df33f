import {
  CreateSecretCommand,
  DescribeSecretCommand,
  ResourceExistsException,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { CreateQueueCommand, type SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod";
import type { AwsClients } from "../../aws/aws-clients.ts";
import { physicalName } from "../template/identify-resources.ts";
import type { DeclaredResource, StackContext } from "../template/stack-context.ts";
import { constructPath, ignored } from "../template/template.ts";
import { makeTable, tableSchema } from "./make-table.ts";

/** A resource can be found by its path in the CDK app or by its id in the template. */
interface Located {
  readonly path: string;
  readonly logicalId: string;
}
export interface MadeQueue extends Located {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  readonly deadLettersArn: string | undefined;
}
export interface MadeTable extends Located {
  readonly name: string;
}
export interface MadeSecret extends Located {
  readonly name: string;
  readonly arn: string;
}

export async function makeSecrets(context: StackContext, aws: AwsClients): Promise<MadeSecret[]> {
  return await Promise.all(
    context.declared("AWS::SecretsManager::Secret").map(async (declared) => {
      const properties = context.properties(secretSchema, declared);
      const name = properties.Name ?? physicalName(context.stackName, declared.logicalId, 512);
      const arn = await makeSecret(aws.secretsmanager, name, properties);
      context.setSecretArn(declared.logicalId, arn);
      return { ...locate(declared), name, arn };
    }),
  );
}

export async function makeQueues(context: StackContext, aws: AwsClients): Promise<MadeQueue[]> {
  return await Promise.all(
    context.declared("AWS::SQS::Queue").map(async (declared) => {
      const properties = context.properties(queueSchema, declared);
      const name = attributeOf(declared, "QueueName");
      await makeQueue(aws.sqs, name, properties);
      return {
        ...locate(declared),
        name,
        url: declared.identity.ref,
        arn: attributeOf(declared, "Arn"),
        deadLettersArn: properties.RedrivePolicy?.deadLetterTargetArn,
      };
    }),
  );
}

export async function makeTables(
  context: StackContext,
  aws: AwsClients,
  keepData: boolean,
): Promise<MadeTable[]> {
  return await Promise.all(
    context.declared("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable").map(async (declared) => {
      const name = declared.identity.ref;
      const properties = context.properties(tableSchema, declared);
      await makeTable(aws.dynamodb, name, properties, keepData);
      return { ...locate(declared), name };
    }),
  );
}

export function attributeOf(declared: DeclaredResource, name: string): string {
  return z.string().parse(declared.identity.attribute(name));
}

function locate({ logicalId, resource }: DeclaredResource): Located {
  return { logicalId, path: constructPath(resource) ?? logicalId };
}

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** Attributes that the emulator applies or reports. The others are about encryption and tags. */
const attributesSchema = z.object({
  ContentBasedDeduplication: scalar.optional(),
  DeduplicationScope: scalar.optional(),
  DelaySeconds: scalar.optional(),
  FifoQueue: scalar.optional(),
  FifoThroughputLimit: scalar.optional(),
  MaximumMessageSize: scalar.optional(),
  MessageRetentionPeriod: scalar.optional(),
  ReceiveMessageWaitTimeSeconds: scalar.optional(),
  RedrivePolicy: z
    .object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number().int().min(1) })
    .optional(),
  VisibilityTimeout: scalar.optional(),
});

const queueSchema = z.strictObject({
  ...attributesSchema.shape,
  QueueName: z.string().optional(),
  KmsDataKeyReusePeriodSeconds: ignored,
  KmsMasterKeyId: ignored,
  RedriveAllowPolicy: ignored,
  SqsManagedSseEnabled: ignored,
  Tags: ignored,
});
type QueueProperties = z.infer<typeof queueSchema>;

async function makeQueue(
  client: SQSClient,
  queueName: string,
  properties: QueueProperties,
): Promise<void> {
  const Attributes = toAttributes(properties);
  await client.send(new CreateQueueCommand({ QueueName: queueName, Attributes }));
}

function toAttributes(properties: QueueProperties): Record<string, string> {
  const { RedrivePolicy, ...scalars } = attributesSchema.parse(properties);
  const policy = RedrivePolicy === undefined ? undefined : JSON.stringify(RedrivePolicy);
  const entries = Object.entries({ ...scalars, RedrivePolicy: policy });
  return Object.fromEntries(entries.flatMap(([key, value]) => (value ? [[key, value]] : [])));
}

const secretSchema = z.strictObject({
  Name: z.string().optional(),
  Description: z.string().optional(),
  KmsKeyId: ignored,
  ReplicaRegions: ignored,
  Tags: ignored,
});
type SecretProperties = z.infer<typeof secretSchema>;

/** Makes a secret without a value and returns its ARN. A secret from an earlier start keeps its values. */
async function makeSecret(
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
