import { MathExpression, type Metric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { byAttentionIndex } from "../../shared/attention/attention.ts";
import { countEveryMilliseconds, countTimeoutMilliseconds } from "../../shared/timing.ts";
import { addAlarm, outcomeMetric } from "../alarms/alarm.ts";
import { allow, type CodeOf, PaycastFunction } from "../lambda/paycast-function.ts";
import { runEvery } from "../lambda/run-every.ts";
import type { Records } from "../storage/tables.ts";

interface AttentionProps {
  codeOf: CodeOf;
  records: Records;
}

/** Runs count-attention once a minute, so that an alarm stays in ALARM while items need attention. */
export class Attention extends Construct {
  constructor(scope: Construct, id: string, { codeOf, records }: AttentionProps) {
    super(scope, id);
    const { tableName, tableArn } = records.callbacks;
    const counter = new PaycastFunction(this, "CountAttention", {
      name: "count-attention",
      codeOf,
      description: "Counts callbacks and events that need attention",
      timeoutMilliseconds: countTimeoutMilliseconds,
      reservedConcurrency: undefined,
      // It mostly waits for DynamoDB, and no caller waits for it.
      memoryMegabytes: 256,
      environment: { CALLBACKS_TABLE: tableName },
      permissions: [allow(["dynamodb:Query"], [`${tableArn}/index/${byAttentionIndex}`])],
    });
    runEvery(this, counter, countEveryMilliseconds);
    this.alarmOnNew();
    this.alarmWhileAny();
    this.alarmOnSilence();
  }

  private counted(name: string, statistic: string): Metric {
    return outcomeMetric(this, "count-attention", name, { statistic });
  }

  /** create-order counts `NewAttention` too, under this name (shared/storefront/storefront-line.ts). */
  private alarmOnNew(): void {
    addAlarm(this, "NewAlarm", {
      metric: this.counted("NewAttention", "Maximum"),
      meaning:
        "A new item needs attention immediately: a callback was not understood, an event was not delivered, the payment service shortens order numbers, or create-order could not write a notice.",
      command: "attention list",
      runbook: "attention-new",
    });
  }

  private alarmWhileAny(): void {
    addAlarm(this, "NeededAlarm", {
      metric: this.counted("NeedAttention", "Maximum"),
      // A missing count does not mean that items were resolved.
      missingData: TreatMissingData.IGNORE,
      meaning:
        "The attention list is not empty: callbacks, events, payments or orders. The alarm ends when everything is settled.",
      command: "attention list",
      runbook: "attention-needed",
    });
  }

  private alarmOnSilence(): void {
    addAlarm(this, "SilenceAlarm", {
      metric: new MathExpression({
        expression: "IF(FILL(counted, 0) < 1, 1, 0)",
        usingMetrics: { counted: this.counted("NeedAttention", "SampleCount") },
        label: "nothing was counted",
      }),
      missingData: TreatMissingData.BREACHING,
      meaning:
        "count-attention has not counted the attention list for 15 minutes: it does not run, or it fails. Until it does, no alarm reports new items.",
      command: "check",
      runbook: "attention-unknown",
    });
  }
}
