import { Duration, Stack } from "aws-cdk-lib";
import {
  ComparisonOperator,
  type MathExpression,
  Metric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { FunctionName } from "../config/function-names.ts";
import { alarmRules, type RunbookSection, severityOf } from "./alarm-rules.ts";
import { PaycastAlarm, runbookFile } from "./paycast-alarm.ts";

/** The texts of an alarm, for the person on call. */
interface AlarmTexts {
  /** What has happened, with each cause that the alarm has. */
  meaning: string;
  /** The command that says which cause it is, without `npx paycast`. */
  command: string;
  /** The section of docs/runbook.md. `alarmRules` has its numbers. */
  runbook: RunbookSection;
}

type AlarmProps = AlarmTexts & {
  /** Its period is the one of the rule, whichever it had. */
  metric: Metric | MathExpression;
  /** In place of the numbers of the rule. */
  threshold?: number;
  minutes?: number;
  /** By default silence is no alarm: most metrics are written only when there is something to count. */
  missingData?: TreatMissingData;
};

/** The alarm's description says what it means, where to begin, whether it can wait, and names its runbook section. */
export function addAlarm(scope: Construct, id: string, props: AlarmProps): PaycastAlarm {
  const { meaning, command, runbook } = props;
  const { threshold, minutes } = { ...alarmRules[runbook], ...props };
  const words = [
    meaning,
    `Begin with: npx paycast ${command}.`,
    `Severity: ${severityOf(runbook)}.`,
    `Runbook: ${runbookFile}#${runbook}`,
  ];
  return new PaycastAlarm(scope, id, runbook, {
    metric: props.metric.with({ period: Duration.minutes(minutes) }),
    threshold,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: props.missingData ?? TreatMissingData.NOT_BREACHING,
    alarmDescription: words.join(" "),
  });
}

/** Of the dashboard's graphs. Each alarm has the period of its rule. */
export const graphPeriod = Duration.minutes(5);

interface OutcomeOptions {
  statistic?: string;
  merchantId?: string;
}

/** How often a function counted an outcome, for all merchants or for one. */
export function outcomeMetric(
  scope: Construct,
  service: FunctionName,
  metricName: string,
  { statistic = "Sum", merchantId }: OutcomeOptions = {},
): Metric {
  return new Metric({
    namespace: metricsNamespace(scope),
    metricName,
    dimensionsMap: { service, ...(merchantId !== undefined && { merchantId }) },
    statistic,
    period: graphPeriod,
  });
}

interface StackMetricOptions {
  statistic?: string;
  merchantId?: string | undefined;
}

/** What all functions count together (`stackMetrics` of shared/telemetry/log-line.ts). */
export function stackMetric(
  scope: Construct,
  metricName: string,
  { statistic = "Sum", merchantId }: StackMetricOptions = {},
): Metric {
  return new Metric({
    namespace: metricsNamespace(scope),
    metricName,
    ...(merchantId !== undefined && { dimensionsMap: { merchantId } }),
    statistic,
    period: graphPeriod,
  });
}

/** The stack's name, so that two stacks in one account do not trigger each other's alarms. */
export function metricsNamespace(scope: Construct): string {
  return Stack.of(scope).stackName;
}
