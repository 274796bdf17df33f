import type { ServerResponse } from "node:http";
import type { AwsRequest } from "./aws-request.ts";

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
