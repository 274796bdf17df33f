import { randomUUID } from "node:crypto";
import type * as z from "zod";
import { describeIssues } from "../../../shared/errors/describe-issues.ts";

/** An error with the name that the service uses. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** The response of a service that is down. The SDK retries such a call. */
export const serviceUnavailable = new AwsError(
  "ServiceUnavailable",
  "The service is unavailable. Please try again shortly.",
  503,
);

/** The response of SQS for a deleted queue. The SDK does not retry it. */
export const unknownQueue = new AwsError(
  "QueueDoesNotExist",
  "The specified queue does not exist.",
);

/** Throws an error with this code if the input is not valid for the operation. */
export function readInput<Input>(schema: z.ZodType<Input>, input: unknown, code: string): Input {
  const read = schema.safeParse(input);
  if (read.success) return read.data;
  throw new AwsError(code, describeIssues(read.error, "The request"));
}

/** Any error other than an AwsError is a bug in the emulator. */
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

/** In the JSON protocol of a service: the result of an operation, or its error. */
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

/** A denial comes from the layer in front of the service, which spells its fields differently. */
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

/** The name, and whose fault it is. */
export function oldCodeOf({ code, status }: Pick<AwsError, "code" | "status">): [string, string] {
  return [oldNames.get(code) ?? code, status < 500 ? "Sender" : "Receiver"];
}
