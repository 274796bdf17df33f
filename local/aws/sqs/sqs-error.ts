import type * as z from "zod";
import { describeIssues } from "../../../shared/describe-issues.ts";
import type { AwsRefusal } from "../aws-refusal.ts";

/** A refusal with the name that SQS gives it. */
export class SqsError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The older protocol has other names for some errors. Clients of both protocols look for these. */
const oldNames = new Map([
  ["QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue"],
  ["QueueNameExists", "QueueAlreadyExists"],
  ...[
    ...["MessageNotInflight", "EmptyBatchRequest", "TooManyEntriesInBatchRequest"],
    ...["BatchEntryIdsNotDistinct", "InvalidBatchEntryId", "BatchRequestTooLong"],
  ].map((code): [string, string] => [code, `AWS.SimpleQueueService.${code}`]),
]);

export function oldNameOf(code: string): string {
  return oldNames.get(code) ?? code;
}

export function refusalOf(error: unknown): AwsRefusal {
  if (!(error instanceof SqsError)) {
    const failed = { status: 500, type: "com.amazonaws.sqs#InternalFailure" };
    return { ...failed, message: String(error), queryError: "InternalFailure;Receiver" };
  }
  const { code, message } = error;
  const type = `com.amazonaws.sqs#${code}`;
  return { status: 400, type, message, queryError: `${oldNameOf(code)};Sender` };
}

export function readInput<Input>(schema: z.ZodType<Input>, input: unknown): Input {
  const read = schema.safeParse(input);
  if (read.success) return read.data;
  throw new SqsError("InvalidParameterValue", describeIssues(read.error, "The request"));
}
