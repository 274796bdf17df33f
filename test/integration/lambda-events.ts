import { randomUUID } from "node:crypto";
import type { Message } from "@aws-sdk/client-sqs";
import { stamped } from "../builders/stamp.ts";

/** What API Gateway (payload 2.0) makes of POST /callbacks. */
export function httpEvent(body: string | undefined, isBase64Encoded = false): object {
  return {
    version: "2.0",
    routeKey: "POST /callbacks",
    rawPath: "/callbacks",
    rawQueryString: "",
    headers: { "content-type": "application/json", host: "callbacks.example.com" },
    requestContext: {
      accountId: "000000000000",
      apiId: "api",
      domainName: "callbacks.example.com",
      domainPrefix: "callbacks",
      http: {
        method: "POST",
        path: "/callbacks",
        protocol: "HTTP/1.1",
        sourceIp: "192.0.2.1",
        userAgent: "payment-service",
      },
      requestId: randomUUID(),
      routeKey: "POST /callbacks",
      stage: "$default",
      time: "15/Nov/2026:01:22:45 +0000",
      timeEpoch: 1_794_705_765_123,
    },
    ...(body !== undefined && { body }),
    isBase64Encoded,
  };
}

export interface Queued {
  readonly messageId: string;
  readonly group: string;
  /** The text of the message. The test stamps it as our functions do. */
  readonly body: string;
  /** `body` is what the queue holds, with or without a stamp. */
  readonly isWhole?: boolean;
  readonly receiptHandle?: string;
  readonly receiveCount?: number;
  readonly sentAtMilliseconds?: number;
}

export function toQueued({ MessageId, Body, Attributes, ReceiptHandle }: Message): Queued {
  return {
    messageId: MessageId!,
    group: Attributes!["MessageGroupId"]!,
    body: Body!,
    isWhole: true,
    receiptHandle: ReceiptHandle!,
    receiveCount: Number(Attributes!["ApproximateReceiveCount"]),
    sentAtMilliseconds: Number(Attributes!["SentTimestamp"]),
  };
}

/** What Lambda makes of a batch of FIFO messages; several of one group may be in it. */
export function sqsEvent(messages: readonly Queued[]): object {
  return { Records: messages.map(sqsRecord) };
}

function sqsRecord(queued: Queued, index: number): object {
  const { messageId, group, body, receiptHandle = `receipt-${messageId}` } = queued;
  const { receiveCount = 1, sentAtMilliseconds = Date.now() } = queued;
  return {
    messageId,
    receiptHandle,
    body: queued.isWhole ? body : stamped(group, body),
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      SentTimestamp: String(sentAtMilliseconds),
      SenderId: "AROAEXAMPLE:receive-callback",
      ApproximateFirstReceiveTimestamp: "1794705765124",
      SequenceNumber: String(18_000_000_000_000_000_000n + BigInt(index)),
      MessageGroupId: group,
      MessageDeduplicationId: randomUUID(),
    },
    messageAttributes: {},
    md5OfBody: "00000000000000000000000000000000",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:us-east-1:000000000000:inbox.fifo",
    awsRegion: "us-east-1",
  };
}
