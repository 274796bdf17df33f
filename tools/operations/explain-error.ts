import { $ZodError } from "zod/v4/core";
import { describeIssues } from "../../shared/errors/describe-issues.ts";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { TableError } from "../../shared/table/table-error.ts";

/** What an error means for the operator. Undefined if only a developer can know. */
export function explainError(thrown: unknown): PaycastError | undefined {
  if (thrown instanceof TableError) return explainAwsError(thrown) ?? thrown;
  if (thrown instanceof PaycastError) return thrown;
  // What an operator types is checked before, so this is about something that was read from the stack.
  if (thrown instanceof $ZodError) {
    const message = `Something in the stack does not have the form that this version expects: ${describeIssues(thrown, "it")}.`;
    return new PaycastError("stored-unreadable", message, { cause: thrown });
  }
  return explainAwsError(thrown);
}

/**
 * What an error of the AWS SDK means for the operator: a missing permission is named, missing credentials and a
 * connection that fails say what to do. Undefined if it is not an error of AWS.
 */
export function explainAwsError(error: unknown): PaycastError | undefined {
  // The functions need to know that a table failed; people need AWS's own words.
  if (error instanceof TableError) return explainAwsError(error.cause);
  if (!(error instanceof Error)) return undefined;
  if (isCredentialsError(error))
    return awsError("aws-credentials", credentialsMessage(error), error);
  if (error.name === "Error" && /region is missing|region not accepted/i.test(error.message)) {
    return awsError(
      "aws-credentials",
      "No valid AWS region is set. Set AWS_REGION, or a profile.",
      error,
    );
  }
  if (isDenied(error)) return awsError("aws-denied", deniedMessage(error), error);
  if (isUnreachable(error)) return awsError("aws-unreachable", unreachableMessage(error), error);
  if (!("$metadata" in error)) return undefined;
  if (!("$fault" in error)) return awsError("aws-unreadable", unreadableMessage(error), error);
  return awsError("aws-refused", `AWS rejected a call: ${error.name}: ${error.message}`, error);
}

function awsError(
  code: "aws-credentials" | "aws-denied" | "aws-unreachable" | "aws-unreadable" | "aws-refused",
  message: string,
  cause: Error,
): PaycastError {
  return new PaycastError(code, message, { cause });
}

const credentialsNames = new Set([
  "CredentialsProviderError",
  "ExpiredToken",
  "ExpiredTokenException",
  "InvalidClientTokenId",
  "SignatureDoesNotMatch",
  "TokenProviderError",
  "UnrecognizedClientException",
]);

function isCredentialsError(error: Error): boolean {
  return credentialsNames.has(error.name);
}

function credentialsMessage({ name, message }: Error): string {
  return `AWS does not accept the credentials (${name}: ${message}). Sign in again, or set AWS_PROFILE.`;
}

function isDenied(error: Error): boolean {
  return /^(AccessDenied|AccessDeniedException|UnauthorizedOperation|AuthorizationError)$/.test(
    error.name,
  );
}

/** For a send to a queue that was denied: IAM's permission alone is not enough. */
const operatorsNeeded =
  "If the config names operators, the queues accept messages only from the functions and from these roles: list the ARN of your role there, with its path, and deploy (docs/configuration.md).";

/** AWS names the action and the resource in its message; if it does not, its own words are shown. */
function deniedMessage({ message }: Error): string {
  const action = /perform: ([\w-]+:\w+)/.exec(message)?.[1];
  const resource = /resource: (\S+)/.exec(message)?.[1];
  if (action === undefined) return `AWS denied a call: ${message}`;
  const on = resource === undefined ? "" : ` on ${resource}`;
  const isSend = action.toLowerCase() === "sqs:sendmessage";
  if (isSend && message.includes("explicit deny")) {
    return `The policy of the queue denies ${action}${on}. ${operatorsNeeded}`;
  }
  const also = isSend ? ` ${operatorsNeeded}` : "";
  return `You lack the permission ${action}${on}. npx paycast policy prints the policy that has it (docs/operating.md).${also}`;
}

function isUnreachable(error: Error): boolean {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // A call that is ended at its time limit has one name or the other.
  const isTimeout = error.name === "TimeoutError" || error.name === "AbortError";
  return isTimeout || /^E(CONN|HOST|NET|AI_|NOTFOUND|PIPE)/.test(code);
}

function unreachableMessage(error: Error): string {
  const code = "code" in error ? String(error.code) : error.name;
  return `AWS, or the emulator in its place, cannot be reached (${code}). Check the network and AWS_ENDPOINT_URL.`;
}

/** The SDK sets `$fault` on an error that AWS returned. A response that it cannot parse throws something else. */
function unreadableMessage({ name, message }: Error): string {
  const [firstLine] = message.split("\n");
  return `The response of AWS, or of something in its place, cannot be read (${name}: ${firstLine}). Check AWS_ENDPOINT_URL and proxies, then run it again.`;
}

/** Why a request had no response, in one word: the system's code, or the name of the error. */
export function connectionFailure(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (typeof cause === "object" && cause !== null && "code" in cause) return String(cause.code);
  return cause instanceof Error ? cause.name : "no response";
}
