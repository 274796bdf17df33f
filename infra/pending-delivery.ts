import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { Construct } from "constructs";
import { addAlarm, outcomeMetric } from "./alarm.ts";
import { allow } from "./narrow-role.ts";
import { type CodeOf, PaycastFunction } from "./paycast-function.ts";
import type { Records } from "./records.ts";
import type { Subscribers } from "./subscribers.ts";

type PendingDeliveryProps = { codeOf: CodeOf; records: Records; subscribers: Subscribers };

/** Every minute: what a subscriber's queue would not take when the callback was processed. */
export class PendingDelivery extends Construct {
  constructor(scope: Construct, id: string, props: PendingDeliveryProps) {
    super(scope, id);
    const deliverPending = this.deliverPending(props);
    new Rule(this, "EveryMinute", {
      schedule: Schedule.rate(Duration.minutes(1)),
      // A tick that is lost needs no dead letters: the next one finds the same work.
      targets: [new LambdaFunction(deliverPending.lambda, { retryAttempts: 0 })],
    });
    addAlarm(this, "OldestAlarm", {
      metric: outcomeMetric(this, "deliver-pending", "OldestPendingSeconds", {
        statistic: "Maximum",
      }),
      threshold: 900,
      meaning: "An event has waited a quarter of an hour for a subscriber's queue to take it.",
      action:
        "See which subscriber the log names and whether its queue and its policy still stand.",
      runbook: "pending-deliveries",
      // Every run reports, so silence means that nothing is delivered any more.
      silence: "alarming",
    });
  }

  private deliverPending({ codeOf, records, subscribers }: PendingDeliveryProps): PaycastFunction {
    return new PaycastFunction(this, "DeliverPending", {
      name: "deliver-pending",
      codeOf,
      description: "Delivers events that a subscriber's queue would not take at first",
      // Over before the next tick.
      timeout: Duration.seconds(50),
      // Nobody waits for it.
      memoryMegabytes: 256,
      environment: {
        CALLBACKS_TABLE: records.callbacks.tableName,
        ORDERS_TABLE: records.orders.tableName,
        SUBSCRIBERS: subscribers.list,
      },
      permissions: [
        allow(["dynamodb:Query"], [records.pendingIndexArn]),
        allow(
          ["dynamodb:GetItem", "dynamodb:UpdateItem"],
          [records.callbacks.tableArn, records.orders.tableArn],
        ),
        ...(subscribers.queueArns.length > 0
          ? [allow(["sqs:SendMessage"], subscribers.queueArns)]
          : []),
      ],
    });
  }
}
