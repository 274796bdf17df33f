import { randomUUID } from "node:crypto";
import type * as z from "zod";
import { describeIssues } from "../../../shared/describe-issues.ts";

/** A refusal with the name that the service gives it. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** What a service answers while it is down. The SDK tries such a call again. */
export const serviceUnavailable = new AwsError(
  "ServiceUnavailable",
  "The service is unavailable. Please try again shortly.",
  503,
);

/** What SQS answers for a queue that was deleted. The SDK does not try it again. */
export const unknownQueue = new AwsError(
  "QueueDoesNotExist",
  "The specified queue does not exist.",
);

/** Throws an error with this code if the input is not as the operation wants it. */
export function readInput<Input>(schema: z.ZodType<Input>, input: unknown, code: string): Input {
  const read = schema.safeParse(input);
  if (read.success) return read.data;
  throw new AwsError(code, describeIssues(read.error, "The request"));
}

/** An error that is none of AWS's is a fault of the emulator. */
export function asAwsError(error: unknown): AwsError {
  return error instanceof AwsError ? error : new AwsError("InternalFailure", String(error), 500);
}

export interface AwsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const namespaces = {
  sqs: "com.amazonaws.sqs#",
  dynamodb: "com.amazonaws.dynamodb.v20120810#",
  secretsmanager: "",
};

const contentType = { "content-type": "application/x-amz-json-1.0" };

/** In the JSON protocol of a service: what an operation gives, or the error that it throws. */
export async function answerInJson(
  service: keyof typeof namespaces,
  run: () => object | Promise<object>,
): Promise<AwsAnswer> {
  try {
    return { status: 200, headers: contentType, text: JSON.stringify(await run()) };
  } catch (error) {
    return errorAnswer(service, error);
  }
}

/** An error in the JSON protocol of a service. */
export function errorAnswer(service: keyof typeof namespaces, error: unknown): AwsAnswer {
  const { code, message, status } = asAwsError(error);
  const headers = {
    ...contentType,
    "x-amzn-requestid": randomUUID(),
    // The code of the older protocol. The SDK shows it as the error's `Code`.
    ...(service === "sqs" && { "x-amzn-query-error": oldCodeOf({ code, status }).join(";") }),
  };
  return { status, headers, text: JSON.stringify(errorBody(service, code, message)) };
}

/** A denial does not come from the service itself but from the layer before it, which spells its fields in another way. */
function errorBody(service: keyof typeof namespaces, code: string, message: string): object {
  if (code !== "AccessDeniedException") return { __type: `${namespaces[service]}${code}`, message };
  const namespace = service === "secretsmanager" ? "" : "com.amazon.coral.service#";
  return { __type: `${namespace}${code}`, Message: message };
}

/** The older protocol of SQS has other names for some errors. Clients of both protocols look for these. */
const oldNames = new Map([
  ["AccessDeniedException", "AccessDenied"],
  ["QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue"],
  ["QueueNameExists", "QueueAlreadyExists"],
  ...[
    "MessageNotInflight",
    "EmptyBatchRequest",
    "TooManyEntriesInBatchRequest",
    "BatchEntryIdsNotDistinct",
    "InvalidBatchEntryId",
    "BatchRequestTooLong",
  ].map((code): [string, string] => [code, `AWS.SimpleQueueService.${code}`]),
]);

/** The name, and who is at fault. */
export function oldCodeOf({ code, status }: Pick<AwsError, "code" | "status">): [string, string] {
  return [oldNames.get(code) ?? code, status < 500 ? "Sender" : "Receiver"];
}
