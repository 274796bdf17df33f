import { MathExpression, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
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
    this.alarmWhileAny();
    this.alarmOnSilence();
  }

  private alarmWhileAny(): void {
    addAlarm(this, "NeededAlarm", {
      metric: outcomeMetric(this, "count-attention", "NeedAttention", { statistic: "Maximum" }),
      // A missing count does not mean that anything was settled.
      missingData: TreatMissingData.IGNORE,
      meaning:
        "A callback is quarantined, an event was given up, or one has waited for a quarter of an hour.",
      action: "List it with npx paycast quarantine list; the alarm ends when all of it is settled.",
      runbook: "attention-needed",
    });
  }

  private alarmOnSilence(): void {
    const counted = outcomeMetric(this, "count-attention", "NeedAttention", {
      statistic: "SampleCount",
    });
    addAlarm(this, "SilenceAlarm", {
      metric: new MathExpression({
        expression: "IF(FILL(counted, 0) < 1, 1, 0)",
        usingMetrics: { counted },
        label: "nothing was counted",
      }),
      missingData: TreatMissingData.BREACHING,
      meaning: "For a quarter of an hour nothing has counted what needs a person.",
      action: "Read the latest lines of count-attention; until it runs, list it yourself.",
      runbook: "attention-unknown",
    });
  }
}
