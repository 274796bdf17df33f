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

/** Once a minute: counts what needs a person, so that an alarm is on as long as there is something. */
export class Attention extends Construct {
  constructor(scope: Construct, id: string, { codeOf, records }: AttentionProps) {
    super(scope, id);
    const { tableName, tableArn } = records.callbacks;
    const counter = new PaycastFunction(this, "CountAttention", {
      name: "count-attention",
      codeOf,
      description: "Counts callbacks and events that need a person",
      timeoutMilliseconds: countTimeoutMilliseconds,
      reservedConcurrency: undefined,
      // It waits for DynamoDB, and nobody waits for it.
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

  private alarmOnNew(): void {
    addAlarm(this, "NewAlarm", {
      metric: this.counted("NewAttention", "Maximum"),
      meaning:
        "Something new needs a person at once: a callback could not be understood, an event could not be delivered, the payment service shortens order numbers, or create-order could not write a notice.",
      command: "attention list",
      runbook: "attention-new",
    });
  }

  private alarmWhileAny(): void {
    addAlarm(this, "NeededAlarm", {
      metric: this.counted("NeedAttention", "Maximum"),
      // A missing count does not mean that anything was settled.
      missingData: TreatMissingData.IGNORE,
      meaning:
        "The list of what needs a person is not empty: callbacks, events, payments or orders. The alarm ends when all of it is settled.",
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
        "For a quarter of an hour count-attention has not counted what needs a person: it does not run, or it fails. Until it does, nobody hears of anything new.",
      command: "check",
      runbook: "attention-unknown",
    });
  }
}
