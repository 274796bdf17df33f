import { TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { byDueIndex } from "../../shared/orders/due.ts";
import { runEveryMilliseconds, runTimeoutMilliseconds } from "../../shared/timing.ts";
import {
  addAlarm,
  alarmOnAny,
  alarmOnKeys,
  countUnless,
  outcomeMetric,
  shareMetric,
} from "../alarms/alarm.ts";
import type { Config } from "../config/config-schema.ts";
import type { ReadableSecrets, StampSecret } from "../encryption/key-secrets.ts";
import { allow, type CodeOf, PaycastFunction } from "../lambda/paycast-function.ts";
import { runEvery } from "../lambda/run-every.ts";
import type { Inbox } from "../storage/inbox.ts";
import type { Records } from "../storage/tables.ts";

/** What the functions that call the payment service are made of. */
export interface ServiceCallers {
  codeOf: CodeOf;
  merchants: Config["merchants"];
  gateway: NonNullable<Config["gateway"]>;
  concurrency: Config["concurrency"];
  requestKeys: ReadableSecrets;
  stampKey: StampSecret;
  records: Records;
  inbox: Inbox;
}

/** Once a minute: asks the payment service about orders whose callback is overdue. */
export class Reconciliation extends Construct {
  constructor(scope: Construct, id: string, props: ServiceCallers) {
    super(scope, id);
    runEvery(this, this.reconcileOrders(props), runEveryMilliseconds);
    this.alarmOnLateness();
    this.alarmOnFailures();
    for (const merchantId of props.merchants) this.alarmOnMissingCallbacks(merchantId);
    alarmOnAny(this, "UnresolvedAlarm", "reconcile-orders", "Unresolved", {
      meaning:
        "Eight or nine days after an order expired, timed out or failed, the payment service has not told how it ended.",
      action: "Ask the payment service about the order.",
      runbook: "unresolved-orders",
    });
    alarmOnAny(this, "UnreadableAlarm", "reconcile-orders", "UnreadableAnswer", {
      meaning: "The payment service answered about a payment, and the answer cannot be read.",
      action:
        "Find the order in the line and ask the payment service what happened to the payment.",
      runbook: "unreadable-answers",
    });
    alarmOnKeys(this, "reconcile-orders");
  }

  private reconcileOrders(props: ServiceCallers): PaycastFunction {
    const { gateway, concurrency, requestKeys, stampKey, records, inbox } = props;
    const { tableName, tableArn } = records.orders;
    return new PaycastFunction(this, "ReconcileOrders", {
      name: "reconcile-orders",
      codeOf: props.codeOf,
      description: "Asks the payment service about orders whose callback is overdue",
      timeoutMilliseconds: runTimeoutMilliseconds,
      // Not needed to keep a second run away: a lease does that, since a new account cannot reserve any.
      reservedConcurrency: concurrency.reconcileOrders,
      // As for query-order: one RSA signature for each question.
      memoryMegabytes: 512,
      environment: {
        ORDERS_TABLE: tableName,
        REQUEST_KEYS: requestKeys.byMerchant,
        GATEWAY: JSON.stringify(gateway),
        INBOX_QUEUE_URL: inbox.queue.queueUrl,
        STAMP_KEY: stampKey.id,
      },
      permissions: [
        allow(["dynamodb:GetItem", "dynamodb:PutItem"], [tableArn]),
        allow(["dynamodb:Query"], [`${tableArn}/index/${byDueIndex}`]),
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
      // Every run writes the metric, so silence means that no run has read the index.
      missingData: TreatMissingData.BREACHING,
      meaning: "An order has waited an hour for its check, or no checks are made at all.",
      action: "Read the latest lines of reconcile-orders; they name what could not be checked.",
      runbook: "reconciliation-late",
    });
  }

  /** A failed question moves its order back in the line, so an outage does not make any order late. */
  private alarmOnFailures(): void {
    const count = (name: string) => outcomeMetric(this, "reconcile-orders", name);
    const metric = shareMetric({
      part: "(FILL(failed, 0) + FILL(refused, 0) + FILL(unreadable, 0))",
      whole: "FILL(asked, 0)",
      metrics: {
        failed: count("QueryFailed"),
        refused: count("ServiceRefused"),
        unreadable: count("UnreadableAnswer"),
        asked: count("Asked"),
      },
      runbook: "reconciliation-failing",
      label: "reconcile-orders: questions without a usable answer",
    });
    addAlarm(this, "FailingAlarm", {
      metric,
      meaning:
        "In an hour, half or more of the questions of reconcile-orders had no answer, a refusal or an unreadable answer.",
      action: "Read its latest lines; the payment service may be down, or the path or keys wrong.",
      runbook: "reconciliation-failing",
    });
  }

  /**
   * If callbacks get lost outside of the stack, no other metric shows it. One alarm per merchant: the callbacks of one
   * must not hide that those of another do not arrive. Refunds have no question that finds them.
   */
  private alarmOnMissingCallbacks(merchantId: string): void {
    const metric = countUnless(this, "Accepted", {
      service: "reconcile-orders",
      outcome: "News",
      merchantId,
      label: `orders of ${merchantId} that ended without a callback`,
    });
    addAlarm(this, `MissingCallbacksAlarm-${merchantId}`, {
      metric,
      meaning: `In six hours, questions found news of three or more orders of merchant ${merchantId}, and no callback of it was accepted.`,
      action:
        "Check whether the callback URL can be reached, and ask the service whether it sends.",
      runbook: "callbacks-missing",
    });
  }
}
