import * as z from "zod";
import { readInput } from "../aws/aws-error.ts";
import { localPlace } from "../aws/local-account.ts";
import { queuePathOf } from "../aws/sqs/queue-store.ts";
import { dynamodbRequirements, type PartitionKeys } from "./dynamodb-requirements.ts";
import type { Requirement } from "./evaluate.ts";
import { unjudged } from "./unjudged.ts";

export type ServiceName = "sqs" | "dynamodb" | "secretsmanager";

/** A call in the JSON protocol of its service. */
export interface ServiceCall {
  readonly service: ServiceName;
  /** Such as "PutItem". */
  readonly operation: string;
  readonly input: unknown;
}

/** The permissions that a call needs, one per resource. Throws if they cannot be determined. */
export function requirementsOf(call: ServiceCall, keys: PartitionKeys): readonly Requirement[] {
  switch (call.service) {
    case "sqs":
      return [sqsRequirement(call)];
    case "dynamodb":
      return dynamodbRequirements(call, keys);
    case "secretsmanager":
      return [secretRequirement(call)];
  }
}

const { partition, region, accountId } = localPlace;
const arnOf = (service: string, resource: string) =>
  ["arn", partition, service, region, accountId, resource].join(":");

const queueInput = z.object({ QueueUrl: z.string().optional(), QueueName: z.string().optional() });

/** A batch needs the permission of the single operation. */
function sqsRequirement({ operation, input }: ServiceCall): Requirement {
  const { QueueUrl, QueueName } = readInput(queueInput, input ?? {}, "InvalidParameterValue");
  const name = operation === "GetQueueUrl" ? QueueName : queuePathOf(QueueUrl ?? "").name;
  if (!name) throw unjudged(`a ${operation} without a queue`);
  const action = `sqs:${operation.replace(/Batch$/, "")}`;
  return { action, resource: arnOf("sqs", name), context: {} };
}

const secretInput = z.object({ SecretId: z.string().optional() });

/** The emulator replaces a secret's name with its ARN. */
function secretRequirement({ operation, input }: ServiceCall): Requirement {
  const { SecretId } = readInput(secretInput, input ?? {}, "InvalidParameterException");
  if (SecretId === undefined) throw unjudged(`a ${operation} without a secret`);
  const resource = SecretId.startsWith("arn:")
    ? SecretId
    : arnOf("secretsmanager", `secret:${SecretId}`);
  return { action: `secretsmanager:${operation}`, resource, context: {} };
}
