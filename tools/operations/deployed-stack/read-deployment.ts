import {
  type CloudFormationClient,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  type StackEvent,
} from "@aws-sdk/client-cloudformation";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { StackChange, StackDescription } from "../ports/stack.ts";

/** Throws `target-not-found`. */
export async function describeStack(
  client: CloudFormationClient,
  StackName: string,
): Promise<StackDescription & { readonly status: string }> {
  const { Stacks = [] } = await client
    .send(new DescribeStacksCommand({ StackName }))
    .catch((error: unknown) => {
      if (!isUnknownStack(error)) throw error;
      return { Stacks: [] };
    });
  const [stack] = Stacks;
  if (stack === undefined) {
    const message = `There is no stack ${StackName} in this account and region. Check --stack, AWS_PROFILE and AWS_REGION.`;
    throw new PaycastError("target-not-found", message);
  }
  const pairs = (stack.Outputs ?? []).map(
    ({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue] as const,
  );
  const { StackId: stackId = "", StackStatus: status = "unknown" } = stack;
  return { stackId, outputs: new Map(pairs), status };
}

/** CloudFormation has no error of its own for it. */
function isUnknownStack(error: unknown): boolean {
  return error instanceof Error && /does not exist/.test(error.message);
}

const mostPages = 5;

/**
 * The ends of deployments. CloudFormation gives the newest events first; an update of all resources has a few hundred.
 */
export async function readDeployments(
  client: CloudFormationClient,
  StackName: string,
  sinceMilliseconds: number,
): Promise<readonly StackChange[]> {
  const found: StackEvent[] = [];
  let NextToken: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const command = new DescribeStackEventsCommand({ StackName, NextToken });
    const { StackEvents = [], NextToken: next } = await client.send(command);
    found.push(...StackEvents);
    const oldest = StackEvents.at(-1)?.Timestamp?.getTime() ?? 0;
    if (next === undefined || oldest < sinceMilliseconds) break;
    NextToken = next;
  }
  return found.flatMap(deploymentOf);
}

function deploymentOf(event: StackEvent): StackChange[] {
  const { ResourceStatus = "", PhysicalResourceId, StackId, Timestamp } = event;
  // The stack is a resource of its own, whose physical id is its own id.
  const text = PhysicalResourceId === StackId ? deploymentWords[ResourceStatus] : undefined;
  if (text === undefined || Timestamp === undefined) return [];
  return [{ kind: "deployment", at: toRfc3339(Timestamp.getTime()), text, who: undefined }];
}

/** How a deployment ended, by the status of the stack. */
const deploymentWords: Readonly<Record<string, string>> = {
  CREATE_COMPLETE: "stack created",
  CREATE_FAILED: "creation of the stack failed",
  UPDATE_COMPLETE: "deployed",
  UPDATE_ROLLBACK_COMPLETE: "deployment failed, and was rolled back",
  UPDATE_ROLLBACK_FAILED: "deployment failed, and so did its rollback",
  ROLLBACK_COMPLETE: "creation of the stack failed, and was rolled back",
  IMPORT_COMPLETE: "resources imported",
};
