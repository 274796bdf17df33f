import { decodeUtf8 } from "../envelope/text.ts";
import { type RequestBody, readRequestBody } from "../request-body.ts";
import { ProblemError } from "./problem.ts";

/** A request's body as text. Throws a `ProblemError`. */
export function requestText(request: RequestBody): string {
  const bytes = readRequestBody(request);
  if (bytes === "too-large") throw new ProblemError("body-too-large");
  const text = bytes === "not-base64" ? undefined : decodeUtf8(bytes);
  if (text !== undefined) return text;
  const errors = [{ pointer: "", detail: "The body is not UTF-8." }];
  throw new ProblemError("body-invalid", "Send the order as JSON in UTF-8.", { errors });
}
