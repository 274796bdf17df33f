import { Duration } from "aws-cdk-lib";
import { TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import { Construct } from "constructs";
import { byDueIndex } from "../shared/orders/due.ts";
import { runEveryMilliseconds, runTimeoutMilliseconds } from "../shared/timing.ts";
import { addAlarm, alarmOnAny, outcomeMetric } from "./alarm.ts";
import type { Config } from "./config.ts";
import type { Inbox } from "./inbox.ts";
import type { ReadableSecrets } from "./key-secrets.ts";
import { alarmOnKeys } from "./keys-alarm.ts";
import { allow } from "./narrow-role.ts";
import { type CodeOf, PaycastFunction } from "./paycast-function.ts";
import type { Records } from "./records.ts";

interface ReconciliationProps {
  codeOf: CodeOf;
  gateway: NonNullable<Config["gateway"]>;
  requestKeys: ReadableSecrets;
  records: Records;
  inbox: Inbox;
}

/** Once a minute: asks the payment service about orders whose callback is overdue. */
export class Reconciliation extends Construct {
  constructor(scope: Construct, id: string, props: ReconciliationProps) {
    super(scope, id);
    const { lambda } = this.reconcileOrders(props);
    // Lambda repeats a failed run twice by default. The next run finds the same orders, so nothing needs to be repeated.
    lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    new Rule(this, "EveryMinute", {
      description: "Starts reconcile-orders",
      schedule: Schedule.rate(Duration.millis(runEveryMilliseconds)),
      // EventBridge has repeats of its own, for a tick that Lambda did not accept.
      targets: [new LambdaTarget(lambda, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
    this.alarmOnLateness();
    alarmOnAny(this, "UnresolvedAlarm", "reconcile-orders", "Unresolved", {
      meaning: "Eight days after an order expired, the payment service has not told how it ended.",
      action: "Ask the payment service about the order.",
      runbook: "unresolved-orders",
    });
    alarmOnKeys(this, "reconcile-orders");
  }

  private reconcileOrders(props: ReconciliationProps): PaycastFunction {
    const { gateway, requestKeys, records, inbox } = props;
    const { tableName, tableArn } = records.orders;
    return new PaycastFunction(this, "ReconcileOrders", {
      name: "reconcile-orders",
      codeOf: props.codeOf,
      description: "Asks the payment service about orders whose callback is overdue",
      timeoutMilliseconds: runTimeoutMilliseconds,
      // A lease keeps a second run away: a new account cannot reserve any concurrency.
      reservedConcurrency: undefined,
      // As for query-order: one RSA signature for each question.
      memoryMegabytes: 512,
      environment: {
        ORDERS_TABLE: tableName,
        REQUEST_KEYS: requestKeys.byMerchant,
        GATEWAY: JSON.stringify(gateway),
        INBOX_QUEUE_URL: inbox.queue.queueUrl,
      },
      permissions: [
        allow(["dynamodb:GetItem", "dynamodb:PutItem"], [tableArn]),
        allow(["dynamodb:Query"], [`${tableArn}/index/${byDueIndex}`]),
        allow(["secretsmanager:GetSecretValue"], requestKeys.arns),
        allow(["sqs:SendMessage"], [inbox.queue.queueArn]),
      ],
    });
  }

  private alarmOnLateness(): void {
    addAlarm(this, "LateAlarm", {
      metric: outcomeMetric(this, "reconcile-orders", "OldestDueSeconds", {
        statistic: "Maximum",
      }),
      threshold: Duration.hours(1).toSeconds(),
      // Every run writes the metric, so silence means that no run has read the index.
      missingData: TreatMissingData.BREACHING,
      meaning: "An order has waited an hour for its check, or no checks are made at all.",
      action: "Read the latest lines of reconcile-orders; the payment service may be down.",
      runbook: "reconciliation-late",
    });
  }
}
