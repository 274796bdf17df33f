import { Buffer } from "node:buffer";

/** A request body as API Gateway passes it: text, or base64 of its bytes. */
export interface RequestBody {
  readonly body?: string | undefined;
  readonly isBase64Encoded: boolean;
}

/** Generous: a callback has a few kilobytes. */
export const mostRequestBytes = 256 * 1024;

/** The bytes of a body. The size is checked first, because everything after it reads the whole body. */
export function readRequestBody(
  { body = "", isBase64Encoded }: RequestBody,
  most = mostRequestBytes,
): Buffer | "too-large" | "not-base64" {
  if (isBase64Encoded && body.length > (most / 3) * 4 + 4) return "too-large";
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > most) return "too-large";
  // Node's decoder skips invalid characters.
  const isCanonical = !isBase64Encoded || bytes.toString("base64") === body;
  return isCanonical ? bytes : "not-base64";
}
