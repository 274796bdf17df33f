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
import {
  alarmRules,
  periodOf,
  type RunbookSection,
  refusedAlone,
  severityOf,
} from "./alarm-rules.ts";
import { PaycastAlarm } from "./paycast-alarm.ts";

export interface AlarmProps {
  metric: IMetric;
  /** The alarm starts when the metric reaches this value. By default the one in `alarmRules`. */
  threshold?: number;
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

/** Of metrics whose single occurrence needs a person, and of the dashboard. */
export const shortPeriod = Duration.minutes(5);

/** The alarm's description says what it means, whether it can wait for the morning, and names its runbook section. */
export function addAlarm(scope: Construct, id: string, props: AlarmProps): PaycastAlarm {
  const { meaning, action, runbook } = props;
  return new PaycastAlarm(scope, id, runbook, {
    metric: props.metric,
    threshold: props.threshold ?? alarmRules[runbook].threshold,
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
  const metric = outcomeMetric(scope, service, outcome, { period: periodOf(texts.runbook) });
  return addAlarm(scope, id, { metric, ...texts });
}

interface ShareProps {
  /** Expressions over the metrics below. */
  part: string;
  whole: string;
  metrics: Record<string, IMetric>;
  /** Its rule has the period, and `fewest`: with fewer requests the share counts as 0, since one could be 100 %. */
  runbook: ShareSection;
  label: string;
}

type ShareSection = {
  [K in RunbookSection]: (typeof alarmRules)[K] extends { fewest: number } ? K : never;
}[RunbookSection];

/** The part as a percentage of the whole. */
export function shareMetric(props: ShareProps): MathExpression {
  const { part, whole, metrics, runbook, label } = props;
  return new MathExpression({
    expression: `IF((${whole}) >= ${alarmRules[runbook].fewest}, 100 * ${part} / (${whole}), 0)`,
    usingMetrics: metrics,
    label: `${label}, in percent`,
    period: periodOf(runbook),
  });
}

/** The stack's name, so that two stacks in one account do not trigger each other's alarms. */
export function metricsNamespace(scope: Construct): string {
  return Stack.of(scope).stackName;
}

/** One problem is enough: warm instances still use cached keys, but the next cold start has none. */
export function alarmOnKeys(scope: Construct, service: FunctionName): void {
  alarmOnAny(scope, `KeysAlarm-${service}`, service, "KeysProblem", {
    meaning: `${service} could not read or understand the current keys of a merchant.`,
    action: "Compare the secret's current version with what the payment service shows.",
    runbook: "keys-problem",
  });
}

const { period } = refusedAlone;

interface Counted {
  readonly service: FunctionName;
  readonly outcome: string;
  /** Without it, callbacks of all merchants count. */
  readonly merchantId?: string;
  readonly label: string;
}

/** How often it happened in six hours, or 0 if a callback was accepted in the same time. */
export function countUnlessAccepted(scope: Construct, counted: Counted): MathExpression {
  const { service, outcome, label, ...ofMerchant } = counted;
  const options = { period, ...ofMerchant };
  return new MathExpression({
    expression: "IF(FILL(accepted, 0) == 0, FILL(counted, 0), 0)",
    usingMetrics: {
      counted: outcomeMetric(scope, service, outcome, options),
      accepted: outcomeMetric(scope, "receive-callback", "Accepted", options),
    },
    label: `${label}, and none accepted`,
    period,
  });
}
