import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { localAccountId, localRegion } from "../../../local/aws/emulator.ts";
import { listenOnLoopback } from "../../../local/aws/listen-on-loopback.ts";
import type { Emulators } from "../../../local/aws/start-emulators.ts";
import { answer, refuse } from "../../operations/control-plane/aws-answer.ts";
import { type AwsRequest, readAwsRequest } from "../../operations/control-plane/aws-request.ts";
import { type Account, createAccount } from "./account.ts";
import { serveBucket } from "./bucket.ts";
import { operations } from "./cloud-formation.ts";
import { readQuery } from "./query-input.ts";
import { createStacks, Refused, type Stacks } from "./stacks.ts";

/** An AWS account as the CDK command sees it: CloudFormation, the bucket for assets, roles and the bootstrap version. */
export interface AwsDouble {
  readonly endpoint: string;
  readonly stacks: Stacks;
  readonly account: Account;
  /** The types that cannot be made, such as "AWS::IAM::Role" if the deployment lacks the permission for it. */
  readonly broken: Set<string>;
  /** Every action that was asked for, in order. */
  readonly calls: string[];
  stop(): Promise<void>;
}

export async function serveAws(emulators: Emulators): Promise<AwsDouble> {
  const account = createAccount(emulators);
  const stacks = createStacks();
  const broken = new Set<string>();
  const calls: string[] = [];
  const objects = new Map<string, Buffer>();
  const fetchTemplate = (url: string) => objects.get(new URL(url).pathname)!.toString();
  const around = { stacks, account, broken, fetchTemplate };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (isForBucket(request)) return await serveBucket(request, response, objects);
    const read = await readAwsRequest(request);
    calls.push(read.action);
    await answerCall(read, response, around);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => {
      calls.push(`failed: ${error.stack}`);
      response.writeHead(501).end(error.message);
    });
  });
  const { endpoint, stop } = await listenOnLoopback(server);
  const stopAll = async () => {
    await stop();
    account.close();
  };
  return { endpoint, stacks, account, broken, calls, stop: stopAll };
}

function isForBucket({ url = "" }: IncomingMessage): boolean {
  return url.startsWith("/cdk-");
}

async function answerCall(
  read: AwsRequest,
  response: ServerResponse,
  around: Parameters<(typeof operations)[string]>[1],
): Promise<void> {
  const [service, action = ""] = read.action.split(":");
  if (isElsewhere(read)) {
    const message = `Only ${localAccountId} in ${localRegion} is prepared for deployments`;
    return refuse(read, response, { code: "AccessDenied", message });
  }
  if (service !== "cloudformation") return answer(read, response, ownAnswer(read));
  const operation = operations[action];
  if (operation === undefined) throw new Error(`${action} is not part of this double.`);
  try {
    answer(read, response, await operation(readQuery(read.input), around));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    refuse(read, response, error);
  }
}

/** A role of another account, or a call for another region. */
function isElsewhere({ input, request }: AwsRequest): boolean {
  const { RoleArn = localAccountId } = input;
  const region = request.headers.authorization?.split("/")[2];
  return !String(RoleArn).includes(localAccountId) || region !== localRegion;
}

function ownAnswer({ action, input }: AwsRequest): object {
  switch (action) {
    case "sts:GetCallerIdentity": {
      const Arn = `arn:aws:iam::${localAccountId}:user/operator`;
      return { Arn, Account: localAccountId, UserId: "operator" };
    }
    case "sts:AssumeRole":
      return { Credentials: sessionCredentials };
    case "ssm:GetParameter":
      return { Parameter: { Name: input["Name"], Value: "30", Type: "String" } };
    default:
      throw new Error(`${action} is not part of this double.`);
  }
}

const sessionCredentials = {
  ...{ AccessKeyId: "session", SecretAccessKey: "session", SessionToken: "session" },
  Expiration: "2100-01-01T00:00:00Z",
};
