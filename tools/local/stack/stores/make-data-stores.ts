import { CreateQueueCommand, type SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod";
import type { AwsClients } from "../../aws/aws-clients.ts";
import type { DeclaredResource, StackContext } from "../template/stack-context.ts";
import { constructPath } from "../template/template.ts";
import { makeTable, tableSchema } from "./make-table.ts";

/** A resource can be found by its path in the CDK app or by its id in the template. */
export interface Located {
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
  readonly keyAttributes: readonly string[];
  /** The time-to-live attribute. */
  readonly expiryAttribute: string | undefined;
}
export async function makeQueues(context: StackContext, aws: AwsClients): Promise<MadeQueue[]> {
  const policies = policiesOf(context);
  return await Promise.all(
    context.declared("AWS::SQS::Queue").map(async (declared) => {
      const properties = context.properties(queueSchema, declared);
      const name = attributeOf(declared, "QueueName");
      const { ref: url } = declared.identity;
      await makeQueue(aws.sqs, name, properties, policies.get(url));
      return {
        ...locate(declared),
        name,
        url,
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
    context.declared("AWS::DynamoDB::Table").map(async (declared) => {
      const name = declared.identity.ref;
      const properties = context.properties(tableSchema, declared);
      await makeTable(aws.dynamodb, name, properties, keepData);
      return {
        ...locate(declared),
        name,
        keyAttributes: properties.KeySchema.map(({ AttributeName }) => AttributeName),
        expiryAttribute: properties.TimeToLiveSpecification?.AttributeName,
      };
    }),
  );
}

function attributeOf(declared: DeclaredResource, name: string): string {
  return z.string().parse(declared.identity.attribute(name));
}

export function locate({ logicalId, resource }: DeclaredResource): Located {
  return { logicalId, path: constructPath(resource) ?? logicalId };
}

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String).exactOptional();
const json = z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value));
const redrive = z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.int().min(1) });
const redriveAllow = z.strictObject({ redrivePermission: z.literal("denyAll") });

const queueSchema = z.strictObject({
  ContentBasedDeduplication: scalar,
  DeduplicationScope: scalar,
  FifoQueue: scalar,
  FifoThroughputLimit: scalar,
  MaximumMessageSize: scalar,
  MessageRetentionPeriod: scalar,
  RedriveAllowPolicy: redriveAllow.optional(),
  RedrivePolicy: redrive.optional(),
  VisibilityTimeout: scalar,
  KmsMasterKeyId: scalar,
  SqsManagedSseEnabled: scalar,
});

const policySchema = z.strictObject({ PolicyDocument: json, Queues: z.array(z.string()) });

/** The policies of the queues, by the queues' URLs. */
function policiesOf(context: StackContext): ReadonlyMap<string, string> {
  const policies = context
    .declared("AWS::SQS::QueuePolicy")
    .map((declared) => context.properties(policySchema, declared));
  return new Map(
    policies.flatMap(({ PolicyDocument, Queues }) =>
      Queues.map((url) => [url, PolicyDocument] as const),
    ),
  );
}

/** With all attributes of the template, even those without effect here: SQS returns them. */
async function makeQueue(
  client: SQSClient,
  QueueName: string,
  properties: z.infer<typeof queueSchema>,
  Policy: string | undefined,
): Promise<void> {
  const { RedrivePolicy, RedriveAllowPolicy, ...others } = properties;
  const Attributes = {
    ...others,
    ...(RedrivePolicy !== undefined && { RedrivePolicy: JSON.stringify(RedrivePolicy) }),
    ...(RedriveAllowPolicy !== undefined && {
      RedriveAllowPolicy: JSON.stringify(RedriveAllowPolicy),
    }),
    ...(Policy !== undefined && { Policy }),
  };
  await client.send(new CreateQueueCommand({ QueueName, Attributes }));
}
