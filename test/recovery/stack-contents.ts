import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { ListQueuesCommand } from "@aws-sdk/client-sqs";
import type { AwsClients } from "../../local/aws/aws-clients.ts";
import type { Stack } from "./double/stacks.ts";
import { isKept } from "./double/template.ts";

/** How many resources of each type a deleted stack left. */
export function typesLeft({ resources }: Stack): Record<string, number> {
  const left = [...resources.values()].filter(({ status }) => status === "DELETE_SKIPPED");
  const types = left.map(({ type }) => type).sort();
  return Object.fromEntries(
    [...new Set(types)].map((type) => [type, types.filter((one) => one === type).length]),
  );
}

/** The physical id of all that a stack keeps when it is deleted, by logical id. */
export function keptBy({ resources, template }: Stack): Record<string, string> {
  const kept = [...resources].filter(
    ([id, { type }]) => type !== "AWS::SQS::QueuePolicy" && isKept(template.Resources[id]!),
  );
  return Object.fromEntries(kept.map(([id, { physicalId }]) => [id, physicalId]));
}

/** The one resource whose logical id has this name before its hash. */
export function physicalIdOf({ resources }: Stack, name: string): string {
  const pattern = new RegExp(`^${name}[0-9A-F]{8}$`);
  const found = [...resources].filter(([id]) => pattern.test(id));
  if (found.length !== 1) throw new Error(`${found.length} resources are called ${name}`);
  return found[0]![1].physicalId;
}

/** All tables and queues that are there, whichever stack they belong to. */
export async function storesInAccount({ dynamodb, sqs }: AwsClients): Promise<string[]> {
  const { TableNames = [] } = await dynamodb.send(new ListTablesCommand({}));
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  return [...TableNames, ...QueueUrls];
}
