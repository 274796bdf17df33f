import { createServer } from "node:http";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { afterAll, beforeAll, vi } from "vitest";
import { listenOnLoopback } from "../../../../tools/local/aws/listen-on-loopback.ts";
import { localAccountId, localRegion } from "../../../../tools/local/aws/local-account.ts";
import { type AwsRequest, answer, readAwsRequest } from "../control-plane/aws-protocol.ts";

interface ListedStack {
  readonly name: string;
  readonly status?: "CREATE_COMPLETE" | "DELETE_COMPLETE" | "REVIEW_IN_PROGRESS";
  /** Type and status of each resource by its logical id. Its physical id is the logical one with "-1" behind it. */
  readonly resources: Readonly<Record<string, readonly [type: string, status: string]>>;
}

/** An account in which CloudFormation lists these stacks, and does nothing else. Gives the id of each added one. */
export function useListedStacks() {
  const stacks = new Map<string, ListedStack>();
  let client: CloudFormationClient;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const server = createServer(async (request, response) => {
      const read = await readAwsRequest(request);
      answer(read, response, listed(read, stacks));
    });
    const { endpoint, ...listening } = await listenOnLoopback(server);
    stop = listening.stop;
    vi.stubEnv("AWS_ENDPOINT_URL", endpoint);
    vi.stubEnv("AWS_REGION", localRegion);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "operator");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "operator");
    client = new CloudFormationClient({});
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    client.destroy();
    await stop();
  });
  const add = (stack: ListedStack): string => {
    const id = `arn:aws:cloudformation:${localRegion}:${localAccountId}:stack/${stack.name}/${stacks.size}`;
    stacks.set(id, stack);
    return id;
  };
  return { add, client: () => client };
}

function listed({ action, input }: AwsRequest, stacks: ReadonlyMap<string, ListedStack>): object {
  if (action === "cloudformation:ListStacks") {
    return { StackSummaries: [...stacks].map(summaryOf) };
  }
  // CloudFormation finds a deleted stack by its id only.
  const { resources = {} } = stacks.get(String(input["StackName"])) ?? {};
  const StackResourceSummaries = Object.entries(resources).map(([id, [type, status]]) => ({
    LogicalResourceId: id,
    PhysicalResourceId: `${id}-1`,
    ResourceType: type,
    ResourceStatus: status,
  }));
  return { StackResourceSummaries };
}

function summaryOf([StackId, { name, status = "DELETE_COMPLETE" }]: [string, ListedStack]): object {
  const day = `2026-11-${10 + Number(StackId.split("/").at(-1))}`;
  return {
    StackId,
    StackName: name,
    StackStatus: status,
    CreationTime: `${day}T08:00:00Z`,
    ...(status === "DELETE_COMPLETE" && { DeletionTime: `${day}T09:00:00Z` }),
  };
}
