import { Aws, Stack } from "aws-cdk-lib";
import { EventSourceMapping } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { addAlarm, outcomeMetric } from "./alarm.ts";
import type { Config } from "./config.ts";
import { type Inbox, processTimeout } from "./inbox.ts";
import { allow } from "./narrow-role.ts";
import { type CodeOf, PaycastFunction } from "./paycast-function.ts";
import type { Records } from "./records.ts";
import type { Subscribers } from "./subscribers.ts";

type CallbackProcessingProps = {
  codeOf: CodeOf;
  callbacks: Config["callbacks"];
  inbox: Inbox;
  records: Records;
  subscribers: Subscribers;
};

/** From the inbox to the order's new status and the subscribers' queues. */
export class CallbackProcessing extends Construct {
  constructor(scope: Construct, id: string, props: CallbackProcessingProps) {
    super(scope, id);
    const processCallback = this.processCallback(props);
    new EventSourceMapping(this, "InboxMessages", {
      target: processCallback.lambda,
      eventSourceArn: props.inbox.queue.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
      // A backlog may not take the account's concurrency from receive-callback, which cannot wait.
      maxConcurrency: 50,
    });
    this.alarmOnFacts();
  }

  private processCallback(props: CallbackProcessingProps): PaycastFunction {
    const { inbox, records, subscribers } = props;
    return new PaycastFunction(this, "ProcessCallback", {
      name: "process-callback",
      codeOf: props.codeOf,
      description: "Applies callbacks to their orders and publishes the events",
      timeout: processTimeout,
      // It waits for DynamoDB and SQS most of the time, but sends to all subscribers of ten messages at once.
      memoryMegabytes: 512,
      environment: {
        CALLBACKS_TABLE: records.callbacks.tableName,
        ORDERS_TABLE: records.orders.tableName,
        INBOX_DEAD_LETTERS_URL: inbox.deadLetters.queueUrl,
        SUBSCRIBERS: subscribers.list,
        RECORD_EXPIRY_DAYS: String(props.callbacks.recordExpiryDays),
        EVENT_SOURCE: `urn:paycast:${Aws.REGION}:${Aws.ACCOUNT_ID}:${Stack.of(this).stackName}`,
      },
      permissions: [
        allow(["dynamodb:PutItem", "dynamodb:UpdateItem"], [records.callbacks.tableArn]),
        allow(["dynamodb:GetItem", "dynamodb:UpdateItem"], [records.orders.tableArn]),
        allow(["sqs:SendMessage"], [inbox.deadLetters.queueArn, ...subscribers.queueArns]),
        allow(
          [
            "sqs:ReceiveMessage",
            "sqs:DeleteMessage",
            "sqs:ChangeMessageVisibility",
            "sqs:GetQueueAttributes",
          ],
          [inbox.queue.queueArn],
        ),
      ],
    });
  }

  private alarmOnFacts(): void {
    const onAny = (id: string, outcome: string, texts: FactAlarm) =>
      addAlarm(this, id, {
        metric: outcomeMetric(this, "process-callback", outcome),
        threshold: 1,
        ...texts,
      });
    onAny("ConflictAlarm", "Conflict", conflicting);
    onAny("MismatchAlarm", "Mismatch", mismatched);
    onAny("DuplicatePaymentAlarm", "DuplicatePayment", paidTwice);
  }
}

type FactAlarm = { meaning: string; action: string; runbook: string };

const conflicting: FactAlarm = {
  meaning: "Two authentic callbacks with different content came under one callback id.",
  action: "Compare both records and ask the payment service which one holds.",
  runbook: "conflicting-callbacks",
};

const mismatched: FactAlarm = {
  meaning: "A callback's amount, currency or merchant differs from the order that was created.",
  action: "Hold the order's goods back until the difference is explained.",
  runbook: "mismatched-orders",
};

const paidTwice: FactAlarm = {
  meaning: "One order was paid by two different transactions.",
  action: "Find both transactions in the order's record and refund one.",
  runbook: "duplicate-payments",
};
