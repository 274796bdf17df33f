import { TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { byDueIndex, byEarlyIndex } from "../../shared/orders/due.ts";
import { runEveryMilliseconds, runTimeoutMilliseconds } from "../../shared/timing.ts";
import { addAlarm, outcomeMetric } from "../alarms/alarm.ts";
import { shareMetric } from "../alarms/expressions.ts";
import type { Config } from "../config/config-schema.ts";
import type { ReadableSecrets, StampSecret } from "../encryption/key-secrets.ts";
import { allow, type CodeOf, PaycastFunction } from "../lambda/paycast-function.ts";
import { runEvery } from "../lambda/run-every.ts";
import type { Inbox } from "../storage/inbox.ts";
import type { Records } from "../storage/tables.ts";
import { gatewayVariable } from "./gateway-variable.ts";

/** The parts that functions need to call the payment service. */
export interface ServiceCallers {
  codeOf: CodeOf;
  gateway: NonNullable<Config["gateway"]>;
  concurrency: Config["concurrency"];
  requestKeys: ReadableSecrets;
  stampKey: StampSecret;
  records: Records;
  /** How long a closed notice is kept. */
  recordExpiryDays: number;
  inbox: Inbox;
}

/** Once a minute: queries the payment service about orders whose callback is overdue. */
export class Reconciliation extends Construct {
  constructor(scope: Construct, id: string, props: ServiceCallers) {
    super(scope, id);
    runEvery(this, this.reconcileOrders(props), runEveryMilliseconds);
    this.alarmOnLateness();
    this.alarmOnFailures();
  }

  private reconcileOrders(props: ServiceCallers): PaycastFunction {
    const { gateway, concurrency, requestKeys, stampKey, records, inbox } = props;
    const { tableName, tableArn } = records.orders;
    return new PaycastFunction(this, "ReconcileOrders", {
      name: "reconcile-orders",
      codeOf: props.codeOf,
      description: "Queries the payment service about orders whose callback is overdue",
      timeoutMilliseconds: runTimeoutMilliseconds,
      // Not needed to prevent a second run: a lease does that, because a new account cannot reserve concurrency.
      reservedConcurrency: concurrency.reconcileOrders,
      // As for query-order: one RSA signature per query.
      memoryMegabytes: 512,
      environment: {
        CALLBACKS_TABLE: records.callbacks.tableName,
        ORDERS_TABLE: tableName,
        REQUEST_KEYS: requestKeys.byMerchant,
        GATEWAY: gatewayVariable(gateway),
        INBOX_QUEUE_URL: inbox.queue.queueUrl,
        STAMP_KEY: stampKey.id,
        RECORD_EXPIRY_DAYS: String(props.recordExpiryDays),
      },
      permissions: [
        allow(["dynamodb:GetItem", "dynamodb:PutItem"], [tableArn]),
        allow(
          ["dynamodb:Query"],
          [byDueIndex, byEarlyIndex].map((index) => `${tableArn}/index/${index}`),
        ),
        records.allowNotices(),
        ...requestKeys.permissions,
        ...stampKey.permissions,
        allow(["sqs:SendMessage"], [inbox.queue.queueArn]),
      ],
    });
  }

  private alarmOnLateness(): void {
    addAlarm(this, "LateAlarm", {
      metric: outcomeMetric(this, "reconcile-orders", "OldestDueSeconds", {
        statistic: "Maximum",
      }),
      // Every run writes the metric, so missing data means that no run has read the index.
      missingData: TreatMissingData.BREACHING,
      meaning:
        "The search for lost callbacks is late: an order has been due for an hour, or reconcile-orders does not run or cannot read the table.",
      command: "check",
      runbook: "reconciliation-late",
    });
  }

  /** A failed query moves its order back in the line, so an outage of the service makes no order late. */
  private alarmOnFailures(): void {
    const count = (name: string) => outcomeMetric(this, "reconcile-orders", name);
    const metric = shareMetric("reconciliation-failing", {
      part: "failed + refused + unreadable",
      whole: "asked",
      metrics: {
        failed: count("QueryFailed"),
        refused: count("ServiceRefused"),
        unreadable: count("UnreadableAnswer"),
        asked: count("Asked"),
      },
      label: "reconcile-orders: queries without a usable response",
    });
    addAlarm(this, "FailingAlarm", {
      metric,
      meaning:
        "In an hour three or more queries of reconcile-orders, a quarter or more of all, had no usable result: the payment service is down, rejects them, or returns unreadable responses.",
      command: "keys check",
      runbook: "reconciliation-failing",
    });
  }
}
