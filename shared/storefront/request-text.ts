import { Buffer } from "node:buffer";

/** A request body as text, whichever way API Gateway hands it over. */
export function requestText(request: {
  readonly body?: string | undefined;
  readonly isBase64Encoded: boolean;
}): string {
  const { body = "", isBase64Encoded } = request;
  return isBase64Encoded ? Buffer.from(body, "base64").toString("utf8") : body;
}
