import { Buffer } from "node:buffer";
import { decodeUtf8 } from "../envelope/text.ts";
import { ProblemError, problemOf, usualProblem } from "./problem.ts";

const mostBytes = 256 * 1024;

/**
 * A request body as text; API Gateway gives it as text or as base64. Throws a `ProblemError`. The size is checked
 * first, because everything after it reads the whole body.
 */
export function requestText(request: {
  readonly body?: string | undefined;
  readonly isBase64Encoded: boolean;
}): string {
  const { body = "", isBase64Encoded } = request;
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > mostBytes) {
    throw new ProblemError(usualProblem("body-too-large"));
  }
  const text = isBase64Encoded ? decodeUtf8(bytes) : body;
  if (text !== undefined) return text;
  const errors = [{ pointer: "", detail: "The body is not UTF-8." }];
  throw new ProblemError(problemOf("body-invalid", "Send the order as JSON in UTF-8.", { errors }));
}
