import type { IncomingMessage } from "node:http";

/** One call of an AWS SDK client, whichever protocol its service speaks. */
export interface AwsRequest {
  /** As a policy names it, such as "sqs:GetQueueAttributes". */
  readonly action: string;
  readonly protocol: "query" | "json" | "rest";
  readonly input: Readonly<Record<string, unknown>>;
  readonly request: IncomingMessage;
  readonly body: Buffer;
}

/** The prefixes of the header X-Amz-Target. */
const targets: Readonly<Record<string, string>> = {
  AmazonSQS: "sqs",
  DynamoDB_20120810: "dynamodb",
  secretsmanager: "secretsmanager",
  GraniteServiceVersion20100801: "cloudwatch",
  Logs_20140328: "logs",
  AmazonSSM: "ssm",
};

const stsActions = new Set<unknown>(["GetCallerIdentity", "AssumeRole"]);

export async function readAwsRequest(request: IncomingMessage): Promise<AwsRequest> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const target = request.headers["x-amz-target"];
  if (target !== undefined) {
    const [prefix = "", operation] = String(target).split(".");
    const input = JSON.parse(body.toString());
    return { action: `${targets[prefix]}:${operation}`, protocol: "json", input, request, body };
  }
  if (request.method === "POST") {
    const input = Object.fromEntries(new URLSearchParams(body.toString()));
    const service = stsActions.has(input["Action"]) ? "sts" : "cloudformation";
    return { action: `${service}:${input["Action"]}`, protocol: "query", input, request, body };
  }
  return { ...readLambda(request), protocol: "rest", request, body };
}

/** Lambda's actions are paths. */
function readLambda({ url = "" }: IncomingMessage) {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const name = /^\/2015-03-31\/functions\/([^/]+)\/configuration$/.exec(pathname)?.[1];
  if (name !== undefined) {
    const input = { FunctionName: decodeURIComponent(name) };
    return { action: "lambda:GetFunctionConfiguration", input };
  }
  if (!pathname.startsWith("/2015-03-31/event-source-mappings")) throw new Error(`GET ${url}`);
  const input = Object.fromEntries(searchParams);
  return { action: "lambda:ListEventSourceMappings", input };
}
