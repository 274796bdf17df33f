import { Duration, Stack } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  Metric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { FunctionName } from "./function-names.ts";

export type AlarmProps = {
  metric: IMetric;
  /** The alarm rings when the metric reaches this. */
  threshold: number;
  /** One sentence: what has happened. */
  meaning: string;
  /** One sentence: what to do first. */
  action: string;
  /** The section of docs/runbook.md. */
  runbook: string;
  /** Most metrics are only written when there is something to count: silence is their normal state. */
  silence?: "normal" | "alarming";
};

/** An alarm that whoever it wakes can act on: its description says what it means and where to read on. */
export function addAlarm(scope: Construct, id: string, props: AlarmProps): Alarm {
  return new Alarm(scope, id, {
    metric: props.metric,
    threshold: props.threshold,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData:
      props.silence === "alarming" ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    alarmDescription: `${props.meaning} ${props.action} Runbook: docs/runbook.md#${props.runbook}`,
  });
}

/** How often a function counted an outcome in five minutes. */
export function outcomeMetric(
  scope: Construct,
  service: FunctionName,
  metricName: string,
  options: { statistic?: string; period?: Duration } = {},
): Metric {
  return new Metric({
    namespace: metricsNamespace(scope),
    metricName,
    dimensionsMap: { service },
    statistic: options.statistic ?? "Sum",
    period: options.period ?? Duration.minutes(5),
  });
}

/** The stack's own name, so that two stacks in one account never ring each other's alarms. */
export function metricsNamespace(scope: Construct): string {
  return Stack.of(scope).stackName;
}
