import { Buffer } from "node:buffer";
import { decodeUtf8 } from "../envelope/text.ts";
import { ProblemError, problemOf } from "./problem.ts";

/** A request body as text, whichever way API Gateway hands it over. Throws a `ProblemError`. */
export function requestText(request: {
  readonly body?: string | undefined;
  readonly isBase64Encoded: boolean;
}): string {
  const { body = "", isBase64Encoded } = request;
  if (!isBase64Encoded) return body;
  const text = decodeUtf8(Buffer.from(body, "base64"));
  if (text !== undefined) return text;
  const errors = [{ pointer: "", detail: "The body is not UTF-8." }];
  throw new ProblemError(problemOf("body-invalid", "Send the order as JSON in UTF-8.", { errors }));
}
