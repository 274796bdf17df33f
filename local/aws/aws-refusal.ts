import { randomUUID } from "node:crypto";

/** An error of an AWS service, in the words of its JSON protocol. */
export interface AwsRefusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  /** SQS also tells the code of its older protocol. The SDK shows it as the error's `Code`. */
  readonly queryError?: string;
}

/** What a service answers while it is down. The SDK tries such a call again. */
export function serviceUnavailable(service: "sqs" | "dynamodb"): AwsRefusal {
  const message = "The service is unavailable. Please try again shortly.";
  const status = 503;
  return service === "sqs"
    ? {
        ...{ status, message, type: "com.amazonaws.sqs#ServiceUnavailable" },
        queryError: "ServiceUnavailable;Receiver",
      }
    : { status, message, type: "com.amazonaws.dynamodb.v20120810#ServiceUnavailable" };
}

/** What SQS answers for a queue that was deleted. The SDK does not try it again. */
export const unknownQueue: AwsRefusal = {
  status: 400,
  type: "com.amazonaws.sqs#QueueDoesNotExist",
  message: "The specified queue does not exist.",
  queryError: "AWS.SimpleQueueService.NonExistentQueue;Sender",
};

export function refusalAnswer({ status, type, message, queryError }: AwsRefusal) {
  const headers = {
    "content-type": "application/x-amz-json-1.0",
    "x-amzn-requestid": randomUUID(),
    ...(queryError !== undefined && { "x-amzn-query-error": queryError }),
  };
  return { status, headers, text: JSON.stringify({ __type: type, message }) };
}
