import { Aws, Stack } from "aws-cdk-lib";
import { EventSourceMapping } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { processTimeoutMilliseconds } from "../../shared/timing.ts";
import { addAlarm, outcomeMetric } from "../alarms/alarm.ts";
import { limits } from "../alarms/alarm-rules.ts";
import { countCauses } from "../alarms/expressions.ts";
import type { Config } from "../config/config-schema.ts";
import type { StampSecret } from "../encryption/key-secrets.ts";
import { allow, type CodeOf, PaycastFunction } from "../lambda/paycast-function.ts";
import type { Inbox } from "../storage/inbox.ts";
import type { Subscribers } from "../storage/subscribers.ts";
import type { Records } from "../storage/tables.ts";

interface CallbackProcessingProps {
  codeOf: CodeOf;
  config: Config;
  stampKey: StampSecret;
  inbox: Inbox;
  records: Records;
  subscribers: Subscribers;
}

/** Processes callbacks: from the inbox to the order's new status and the subscribers' queues. */
export class CallbackProcessing extends Construct {
  constructor(scope: Construct, id: string, props: CallbackProcessingProps) {
    super(scope, id);
    const processCallback = this.processCallback(props);
    new EventSourceMapping(this, "InboxMessages", {
      target: processCallback.lambda,
      eventSourceArn: props.inbox.queue.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
      // A backlog must not use the account's concurrency that receive-callback needs: callbacks cannot wait.
      maxConcurrency: props.config.concurrency.inbox,
    });
    alarmOnTried(this);
  }

  private processCallback(props: CallbackProcessingProps): PaycastFunction {
    const { config, stampKey, inbox, records, subscribers } = props;
    return new PaycastFunction(this, "ProcessCallback", {
      name: "process-callback",
      codeOf: props.codeOf,
      description: "Applies callbacks to their orders and publishes the events",
      timeoutMilliseconds: processTimeoutMilliseconds,
      reservedConcurrency: config.concurrency.processCallback,
      // It mostly waits for DynamoDB and SQS, but sends to all subscribers of ten messages at the same time.
      memoryMegabytes: 512,
      environment: {
        CALLBACKS_TABLE: records.callbacks.tableName,
        ORDERS_TABLE: records.orders.tableName,
        INBOX_QUEUE_URL: inbox.queue.queueUrl,
        INBOX_DEAD_LETTERS_URL: inbox.deadLetters.queueUrl,
        STAMP_KEY: stampKey.id,
        SUBSCRIBERS: subscribers.list,
        RECORD_EXPIRY_DAYS: String(config.callbacks.recordExpiryDays),
        EVENT_SOURCE: `urn:paycast:${Aws.REGION}:${Aws.ACCOUNT_ID}:${Stack.of(this).stackName}`,
      },
      permissions: [
        allow(
          ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
          [records.callbacks.tableArn],
        ),
        allow(["dynamodb:GetItem", "dynamodb:PutItem"], [records.orders.tableArn]),
        allow(["sqs:SendMessage"], [inbox.deadLetters.queueArn, ...subscribers.queueArns]),
        allow(inboxActions, [inbox.queue.queueArn]),
        ...stampKey.permissions,
      ],
    });
  }
}

/** Lambda reads the inbox with the function's role. The function returns messages by changing their visibility. */
const inboxActions = [
  "sqs:ReceiveMessage",
  "sqs:DeleteMessage",
  "sqs:ChangeMessageVisibility",
  "sqs:GetQueueAttributes",
];

/**
 * What the metrics of SQS do not show: the age of messages that were received several times, and forged messages. Each
 * log line with one of the two metrics has both (shared/processing/processing-line.ts).
 */
function alarmOnTried(scope: Construct): void {
  const waiting = outcomeMetric(scope, "process-callback", "WaitingSeconds", {
    statistic: "Maximum",
  });
  const forged = outcomeMetric(scope, "process-callback", "StampRefused");
  addAlarm(scope, "TriedAlarm", {
    metric: countCauses(
      {
        waiting: { metric: waiting, limit: limits.waitSeconds },
        forged: { metric: forged, limit: limits.any },
      },
      "waiting callbacks, or messages without a stamp",
    ),
    meaning:
      "A callback has failed for 15 minutes. Or something other than the functions of the stack put a message into the inbox; that message was not applied.",
    command: "check",
    runbook: "inbox",
  });
}
