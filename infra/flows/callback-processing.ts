import { Aws, Stack } from "aws-cdk-lib";
import { EventSourceMapping } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { processTimeoutMilliseconds } from "../../shared/timing.ts";
import {
  type AlarmTexts,
  addAlarm,
  alarmOnAny,
  alarmOnKeys,
  outcomeMetric,
} from "../alarms/alarm.ts";
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
    addProcessingAlarms(this);
  }

  private processCallback(props: CallbackProcessingProps): PaycastFunction {
    const { config, stampKey, inbox, records, subscribers } = props;
    return new PaycastFunction(this, "ProcessCallback", {
      name: "process-callback",
      codeOf: props.codeOf,
      description: "Applies callbacks to their orders and publishes the events",
      timeoutMilliseconds: processTimeoutMilliseconds,
      reservedConcurrency: config.concurrency.processCallback,
      // It waits for DynamoDB and SQS most of the time, but sends to all subscribers of ten messages at once.
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

/** Lambda reads the inbox with the function's role. The function gives messages back by changing their visibility. */
const inboxActions = [
  "sqs:ReceiveMessage",
  "sqs:DeleteMessage",
  "sqs:ChangeMessageVisibility",
  "sqs:GetQueueAttributes",
];

/** Alarms for outcomes of process-callback that need a person. */
function addProcessingAlarms(scope: Construct): void {
  alarmOnWaiting(scope);
  const onAny = (id: string, outcome: string, texts: AlarmTexts) =>
    alarmOnAny(scope, id, "process-callback", outcome, texts);
  alarmOnKeys(scope, "process-callback");
  onAny("StampAlarm", "StampRefused", {
    meaning:
      "Something other than the functions of the stack put a message into the inbox. It was not applied.",
    action: "Find out who sent it; its reason is stamp-missing or stamp-wrong.",
    runbook: "inbox-dead-letters",
  });
  onAny("QuarantinedAlarm", "Quarantined", {
    meaning: "An authentic callback could not be understood and was quarantined.",
    action: "Read the reason with npx paycast quarantine list, fix the cause and redrive it.",
    runbook: "quarantined-callbacks",
  });
  onAny("UndeliverableAlarm", "Undeliverable", {
    meaning:
      "The queue of a subscriber refused an event for five minutes, or did not exist for one, so it was given up.",
    action: "Bring the queue back, then redrive what it missed.",
    runbook: "undeliverable-events",
  });
  onAny("ConflictAlarm", "Conflict", {
    meaning: "Two authentic callbacks with different content came under one callback id.",
    action: "Compare both records and ask the payment service which one is right.",
    runbook: "conflicting-callbacks",
  });
  onAny("MismatchAlarm", "Mismatch", {
    meaning: "The amount or currency of a callback differs from the order that was created.",
    action: "Hold the order's goods back until the difference is explained.",
    runbook: "mismatched-amounts",
  });
  onAny("DuplicatePaymentAlarm", "DuplicatePayment", {
    meaning: "One order was paid by two different transactions.",
    action: "Find both transactions in the order's record and refund one.",
    runbook: "duplicate-payments",
  });
}

/** Complements the alarm on the inbox's age: SQS's own metric ignores messages that were received several times. */
function alarmOnWaiting(scope: Construct): void {
  addAlarm(scope, "WaitingAlarm", {
    metric: outcomeMetric(scope, "process-callback", "WaitingSeconds", { statistic: "Maximum" }),
    meaning: "A callback has been tried for a quarter of an hour without success.",
    action: "Read the errors in the log of process-callback; nothing is lost yet.",
    runbook: "inbox-age",
  });
}
