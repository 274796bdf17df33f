import { randomBytes } from "node:crypto";
import { DeleteTableCommand, DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { DescribeSecretCommand } from "@aws-sdk/client-secrets-manager";
import { DeleteQueueCommand, GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { type AwsClients, createAwsClients } from "../../../local/aws/aws-clients.ts";
import type { Emulators } from "../../../local/aws/start-emulators.ts";
import {
  makeQueues,
  makeSecrets,
  makeTables,
} from "../../../local/stack/stores/make-data-stores.ts";
import { createStackContext } from "../../../local/stack/template/stack-context.ts";
import { readTemplate } from "../../../local/stack/template/template.ts";
import type { Resource } from "../../infra/stack-template.ts";
import { nameResources, type PhysicalIds } from "./physical-names.ts";
import type { Template } from "./template.ts";

/** Everything that exists in an account: tables, queues and secrets in the emulators, the rest as a name. */
export interface Account {
  /** Makes some resources of a stack. Gives the physical id of each. */
  make(stack: StackPlan, logicalIds: readonly string[]): Promise<PhysicalIds>;
  exists(type: string, physicalId: string): Promise<boolean>;
  /** Throws if the resource is protected. */
  remove(resource: Resource, physicalId: string): Promise<void>;
  /** All that exists and has no emulator, as type and physical id. */
  readonly others: ReadonlySet<string>;
}

interface StackPlan {
  readonly name: string;
  readonly template: Template;
  /** What the stack already has. */
  readonly physicalIds: PhysicalIds;
}

export function createAccount(emulators: Emulators): Account & { close(): void } {
  const aws = createAwsClients(emulators);
  const others = new Set<string>();
  /** The emulator cannot delete secrets. */
  const deletedSecrets = new Set<string>();
  return {
    others,
    close: () => aws.destroy(),
    make: async (plan, logicalIds) => {
      const made = await makeStores(plan, logicalIds, aws, emulators);
      const rest = logicalIds.filter((id) => !made.has(id));
      return new Map([...made, ...rest.map((id) => [id, makeOther(plan, id, others)] as const)]);
    },
    exists: async (type, physicalId) =>
      others.has(`${type} ${physicalId}`) ||
      (!deletedSecrets.has(physicalId) && (await isStored(aws, type, physicalId))),
    remove: async (resource, physicalId) => {
      if (resource.Properties?.DeletionProtectionEnabled === true) {
        throw new Error(`${physicalId} has deletion protection enabled`);
      }
      await removeStored(aws, resource.Type, physicalId);
      if (resource.Type === "AWS::SecretsManager::Secret") deletedSecrets.add(physicalId);
      others.delete(`${resource.Type} ${physicalId}`);
    },
  };
}

/** By the code that makes them for `npm start`, under names with a random end as CloudFormation gives them. */
async function makeStores(
  { name, template, physicalIds }: StackPlan,
  logicalIds: readonly string[],
  aws: AwsClients,
  { sqs }: Emulators,
): Promise<PhysicalIds> {
  const named = nameResources(template, physicalIds, (id) => `${name}-${id}-${randomEnd()}`);
  const whole = createStackContext({
    ...{ template: readTemplate(named), stackName: name },
    ...{ sqsEndpoint: sqs, apiEndpoint: "http://localhost" },
  });
  const declared: typeof whole.declared = (...types) =>
    whole.declared(...types).filter(({ logicalId }) => logicalIds.includes(logicalId));
  const context = { ...whole, declared };
  const secrets = await makeSecrets(context, aws);
  const queues = await makeQueues(context, aws);
  const tables = await makeTables(context, aws, false);
  return new Map([
    ...secrets.map(({ logicalId, arn }) => [logicalId, arn] as const),
    ...queues.map(({ logicalId, url }) => [logicalId, url] as const),
    ...tables.map(({ logicalId, name: tableName }) => [logicalId, tableName] as const),
  ]);
}

function makeOther({ name, template }: StackPlan, id: string, others: Set<string>): string {
  const { Type, Properties } = template.Resources[id]!;
  const physicalId = Properties?.LogGroupName ?? `${name}-${id}-${randomEnd()}`;
  const entry = `${Type} ${physicalId}`;
  if (others.has(entry)) throw new Error(`${physicalId} already exists`);
  others.add(entry);
  return physicalId;
}

async function isStored(aws: AwsClients, type: string, physicalId: string): Promise<boolean> {
  const ask = () => {
    switch (type) {
      case "AWS::DynamoDB::Table":
        return aws.dynamodb.send(new DescribeTableCommand({ TableName: physicalId }));
      case "AWS::SQS::Queue":
        return aws.sqs.send(new GetQueueAttributesCommand({ QueueUrl: physicalId }));
      case "AWS::SecretsManager::Secret":
        return aws.secretsmanager.send(new DescribeSecretCommand({ SecretId: physicalId }));
      default:
        return Promise.reject(new Error("it has no emulator"));
    }
  };
  return await ask().then(
    () => true,
    () => false,
  );
}

async function removeStored(aws: AwsClients, type: string, physicalId: string): Promise<void> {
  if (type === "AWS::DynamoDB::Table") {
    await aws.dynamodb.send(new DeleteTableCommand({ TableName: physicalId }));
  }
  if (type === "AWS::SQS::Queue") {
    await aws.sqs.send(new DeleteQueueCommand({ QueueUrl: physicalId }));
  }
}

function randomEnd(): string {
  return randomBytes(6).toString("hex").toUpperCase();
}
