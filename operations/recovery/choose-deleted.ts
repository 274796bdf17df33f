import {
  type CloudFormationClient,
  paginateListStacks,
  type StackSummary,
} from "@aws-sdk/client-cloudformation";
import { PaycastError } from "../../shared/paycast-error.ts";

/**
 * The id of the one deleted stack with this name or id. A new, empty stack that was deleted too leaves resources of its
 * own: if there are several, a person has to choose.
 */
export async function chooseDeleted(client: CloudFormationClient, stack: string): Promise<string> {
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
