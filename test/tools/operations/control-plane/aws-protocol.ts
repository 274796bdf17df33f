import type { IncomingMessage, ServerResponse } from "node:http";

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
  const reservedFor = /^\/2019-09-30\/functions\/([^/]+)\/concurrency$/.exec(pathname)?.[1];
  if (reservedFor !== undefined) {
    const input = { FunctionName: decodeURIComponent(reservedFor) };
    return { action: "lambda:GetFunctionConcurrency", input };
  }
  if (pathname.startsWith("/2016-08-19/account-settings")) {
    return { action: "lambda:GetAccountSettings", input: {} };
  }
  if (!pathname.startsWith("/2015-03-31/event-source-mappings")) throw new Error(`GET ${url}`);
  const input = Object.fromEntries(searchParams);
  return { action: "lambda:ListEventSourceMappings", input };
}

/** The answer of a service, in the protocol in which it was asked. */
export function answer({ protocol, action }: AwsRequest, response: ServerResponse, result: object) {
  if (protocol !== "query") return sendJson(response, 200, result);
  const name = action.split(":")[1];
  const inner = `<${name}Result>${toXml(result)}</${name}Result>`;
  sendXml(response, 200, `<${name}Response>${inner}</${name}Response>`);
}

/** A refusal. Query protocols have the code in the body, the others the type. */
export function refuse(
  { protocol }: AwsRequest,
  response: ServerResponse,
  { code, message }: { readonly code: string; readonly message: string },
) {
  if (protocol === "query") {
    const error = toXml({ Error: { Type: "Sender", Code: code, Message: message } });
    return sendXml(response, 400, `<ErrorResponse>${error}</ErrorResponse>`);
  }
  response.setHeader("x-amzn-errortype", code);
  sendJson(response, protocol === "rest" ? 403 : 400, { __type: code, message, Message: message });
}

/** AWS's own words, from which the missing permission is read. */
export function deniedMessage(action: string, resource: string): string {
  return `User: arn:aws:iam::000000000000:user/operator is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`;
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/x-amz-json-1.0" });
  response.end(JSON.stringify(body));
}

function sendXml(response: ServerResponse, status: number, xml: string): void {
  response.writeHead(status, { "content-type": "text/xml" });
  response.end(xml);
}

/** A list is a row of `member` elements. */
function toXml(value: unknown): string {
  if (Array.isArray(value))
    return value.map((member) => `<member>${toXml(member)}</member>`).join("");
  if (typeof value === "object" && value !== null) {
    return Object.entries(value)
      .map(([name, inner]) => `<${name}>${toXml(inner)}</${name}>`)
      .join("");
  }
  const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
  return String(value).replace(/[&<>]/g, (character) => escapes[character] ?? "");
}

/** Gives a call to an emulator, and its answer back. `complete` may add to a good answer. */
export async function passOn(
  { request, body }: AwsRequest,
  response: ServerResponse,
  endpoint: string,
  complete: (text: string) => string,
): Promise<void> {
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    /^(host|connection|content-length|expect)$/.test(name) ? [] : [[name, String(value)]],
  );
  const given = await fetch(endpoint, { method: "POST", headers, body: new Uint8Array(body) });
  const text = await given.text();
  const type = given.headers.get("content-type") ?? "application/x-amz-json-1.0";
  for (const name of ["x-amzn-errortype", "x-amzn-query-error"]) {
    const value = given.headers.get(name);
    if (value !== null) response.setHeader(name, value);
  }
  // Without DynamoDB's checksum, because the body may have changed.
  response.writeHead(given.status, { "content-type": type });
  response.end(given.ok && text !== "" ? complete(text) : text);
}
