import {
  type CloudFormationClient,
  paginateListStackResources,
  type StackResourceSummary,
} from "@aws-sdk/client-cloudformation";
import { chooseDeleted } from "./choose-deleted.ts";

/** The identifier of each resource by its logical id, as `npx cdk import --resource-mapping` reads it. */
type ResourceMapping = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface Kept {
  /** The id of the deleted stack. */
  readonly stackId: string;
  readonly mapping: ResourceMapping;
  /** What was kept too, and is not in the mapping. */
  readonly others: readonly string[];
}

/** What can be imported, by type: the property that identifies it. CloudFormation's physical id is the value. */
const identifiers = new Map([
  ["AWS::DynamoDB::Table", "TableName"],
  ["AWS::SQS::Queue", "QueueUrl"],
  ["AWS::SecretsManager::Secret", "Id"],
  ["AWS::Logs::LogGroup", "LogGroupName"],
  // A KMS key that an app made in the stack itself: the others refer to it, so they can be imported only with it.
  ["AWS::KMS::Key", "KeyId"],
]);

/** A policy stays on its queue. It cannot be imported, and the next deployment sets it again. */
const setAgain = "AWS::SQS::QueuePolicy";

/**
 * What a deleted stack left in the account. CloudFormation knows it for 90 days. Takes the stack's name, or its id if
 * several stacks of that name were deleted. Throws `target-not-found` or `ambiguous-id`.
 */
export async function findKept(client: CloudFormationClient, stack: string): Promise<Kept> {
  const stackId = await chooseDeleted(client, stack);
  const kept: StackResourceSummary[] = [];
  // CloudFormation finds a deleted stack by its id only.
  for await (const page of paginateListStackResources({ client }, { StackName: stackId })) {
    kept.push(...(page.StackResourceSummaries ?? []).filter(isKept));
  }
  const entries = kept.map((resource) => [resource, identifierOf(resource)] as const);
  return {
    stackId,
    mapping: Object.fromEntries(
      entries.flatMap(([{ LogicalResourceId = "" }, identifier]) =>
        identifier === undefined ? [] : [[LogicalResourceId, identifier]],
      ),
    ),
    others: entries.flatMap(([resource, identifier]) =>
      identifier === undefined ? [`${resource.LogicalResourceId} (${resource.ResourceType})`] : [],
    ),
  };
}

function isKept({ ResourceStatus, ResourceType }: StackResourceSummary): boolean {
  return ResourceStatus !== "DELETE_COMPLETE" && ResourceType !== setAgain;
}

function identifierOf({ ResourceType = "", PhysicalResourceId }: StackResourceSummary) {
  const property = identifiers.get(ResourceType);
  if (property === undefined || PhysicalResourceId === undefined) return undefined;
  return { [property]: PhysicalResourceId };
}
