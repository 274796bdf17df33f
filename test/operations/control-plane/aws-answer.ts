import type { ServerResponse } from "node:http";
import type { AwsRequest } from "./aws-request.ts";

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
  if (Array.isArray(value)) return value.map((one) => `<member>${toXml(one)}</member>`).join("");
  if (typeof value === "object" && value !== null) {
    return Object.entries(value)
      .map(([name, inner]) => `<${name}>${toXml(inner)}</${name}>`)
      .join("");
  }
  const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
  return String(value).replace(/[&<>]/g, (character) => escapes[character] ?? "");
}
