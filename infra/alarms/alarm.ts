import { Duration, Stack } from "aws-cdk-lib";
import {
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { FunctionName } from "../config/function-names.ts";
import { type RunbookSection, severityOf } from "./alarm-severity.ts";
import { PaycastAlarm } from "./paycast-alarm.ts";

export interface AlarmProps {
  metric: IMetric;
  /** The alarm starts when the metric reaches this value. */
  threshold: number;
  /** One sentence: what has happened. */
  meaning: string;
  /** One sentence: what to do first. */
  action: string;
  /** The section of docs/runbook.md. */
  runbook: RunbookSection;
  /** By default silence is no alarm: most metrics are written only when there is something to count. */
  missingData?: TreatMissingData;
}

/** The texts of an alarm, for the person on call. */
export type AlarmTexts = Pick<AlarmProps, "meaning" | "action" | "runbook">;

/** A single occurrence needs a person, so the alarm starts within five minutes. */
export const shortPeriod = Duration.minutes(5);
/** Long enough for a useful percentage, even if a merchant has few orders. */
export const longPeriod = Duration.minutes(15);

/** The alarm's description says what it means, whether it can wait for the morning, and names its runbook section. */
export function addAlarm(scope: Construct, id: string, props: AlarmProps): PaycastAlarm {
  const { meaning, action, runbook } = props;
  return new PaycastAlarm(scope, id, runbook, {
    metric: props.metric,
    threshold: props.threshold,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: props.missingData ?? TreatMissingData.NOT_BREACHING,
    alarmDescription: `${meaning} ${action} Severity: ${severityOf(runbook)}. Runbook: docs/runbook.md#${runbook}`,
  });
}

interface OutcomeOptions {
  statistic?: string;
  period?: Duration;
  merchantId?: string;
}

/** How often a function counted an outcome, for all merchants or for one. */
export function outcomeMetric(
  scope: Construct,
  service: FunctionName,
  metricName: string,
  { statistic = "Sum", period = shortPeriod, merchantId }: OutcomeOptions = {},
): Metric {
  return new Metric({
    namespace: metricsNamespace(scope),
    metricName,
    dimensionsMap: { service, ...(merchantId !== undefined && { merchantId }) },
    statistic,
    period,
  });
}

/** An outcome that needs a person each time. */
export function alarmOnAny(
  scope: Construct,
  id: string,
  service: FunctionName,
  outcome: string,
  texts: AlarmTexts,
): PaycastAlarm {
  const metric = outcomeMetric(scope, service, outcome);
  return addAlarm(scope, id, { metric, threshold: 1, ...texts });
}

interface ShareProps {
  /** Expressions over the metrics below. */
  part: string;
  whole: string;
  metrics: Record<string, IMetric>;
  /** With fewer requests than this the share counts as 0: otherwise one stray request could be 100 %. */
  fewest: number;
  label: string;
  /** A quarter of an hour by default. */
  period?: Duration;
}

/** The part as a percentage of the whole. */
export function shareMetric(props: ShareProps): MathExpression {
  const { part, whole, metrics, fewest, label, period = longPeriod } = props;
  return new MathExpression({
    expression: `IF((${whole}) >= ${fewest}, 100 * ${part} / (${whole}), 0)`,
    usingMetrics: metrics,
    label: `${label}, in percent`,
    period,
  });
}

/** The stack's name, so that two stacks in one account do not trigger each other's alarms. */
export function metricsNamespace(scope: Construct): string {
  return Stack.of(scope).stackName;
}
