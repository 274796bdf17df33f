import {
  type CloudFormationClient,
  paginateListStackResources,
  paginateListStacks,
  type StackResourceSummary,
  type StackSummary,
} from "@aws-sdk/client-cloudformation";
import { PaycastError } from "../../../shared/paycast-error.ts";

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

/**
 * The id of the one deleted stack with this name or id. A new, empty stack that was deleted too leaves resources of its
 * own: if there are several, a person has to choose.
 */
async function chooseDeleted(client: CloudFormationClient, stack: string): Promise<string> {
  const found = await listStacks(client, stack);
  const living = found.find(({ StackStatus }) => StackStatus !== "DELETE_COMPLETE");
  if (living !== undefined) throw exists(stack, living);
  const [deleted, ...others] = found;
  if (deleted?.StackId === undefined) {
    throw new PaycastError(
      "target-not-found",
      `No stack ${stack} was deleted in this account and region in the last 90 days. Check --stack, AWS_PROFILE and AWS_REGION.`,
    );
  }
  if (others.length > 0) throw severalDeleted(stack, found);
  return deleted.StackId;
}

/** Without a filter CloudFormation also lists the deleted ones. A stack under review has no resources yet. */
async function listStacks(client: CloudFormationClient, stack: string): Promise<StackSummary[]> {
  const found: StackSummary[] = [];
  for await (const { StackSummaries = [] } of paginateListStacks({ client }, {})) {
    const wanted = StackSummaries.filter(
      ({ StackName, StackId }) => StackName === stack || StackId === stack,
    );
    found.push(...wanted.filter(({ StackStatus }) => StackStatus !== "REVIEW_IN_PROGRESS"));
  }
  return found;
}

function exists(stack: string, { StackStatus }: StackSummary): PaycastError {
  return new PaycastError(
    "target-not-found",
    `The stack ${stack} exists (${StackStatus}), so there is nothing to import. If it is a new, empty one, delete it first: docs/changing.md says how.`,
  );
}

function severalDeleted(stack: string, found: readonly StackSummary[]): PaycastError {
  const lines = found
    .toSorted((one, other) => timeOf(other.DeletionTime) - timeOf(one.DeletionTime))
    .map(
      ({ StackId, CreationTime, DeletionTime }) =>
        `  ${StackId}  from ${spell(CreationTime)} to ${spell(DeletionTime)}`,
    );
  return new PaycastError(
    "ambiguous-id",
    `${found.length} stacks ${stack} were deleted. Give the id of the one that held your data as --stack:\n${lines.join("\n")}`,
  );
}

function timeOf(time: Date | undefined): number {
  return time?.getTime() ?? 0;
}

function spell(time: Date | undefined): string {
  return time?.toISOString() ?? "an unknown time";
}
