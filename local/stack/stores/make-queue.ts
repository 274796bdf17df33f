import { CreateQueueCommand, type SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod";
import { ignored } from "../template/template.ts";

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

export const queueSchema = z.strictObject({
  ...attributesSchema.shape,
  QueueName: z.string().optional(),
  KmsDataKeyReusePeriodSeconds: ignored,
  KmsMasterKeyId: ignored,
  RedriveAllowPolicy: ignored,
  SqsManagedSseEnabled: ignored,
  Tags: ignored,
});
export type QueueProperties = z.infer<typeof queueSchema>;

export async function makeQueue(
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
