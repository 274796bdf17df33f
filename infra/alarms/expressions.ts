import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import { alarmRules, type ShareSection } from "./alarm-rules.ts";

/*
 * The metric math of the alarms (docs/decisions/0023-metric-math.md). Operators take a missing value for 0 if the other
 * side has one, so a sum starts an alarm when only one of its metrics has data. FILL is outermost: it ends an alarm in
 * time, and no alarm needs it to start.
 */

interface Cause {
  readonly metric: IMetric;
  /** The cause counts from this value on. */
  readonly limit: number;
}

/** How many of the causes have reached their limit. */
export function countCauses(causes: Readonly<Record<string, Cause>>, label: string) {
  const reached = Object.entries(causes).map(([id, { limit }]) => `(${id} >= ${limit})`);
  const metrics = Object.entries(causes).map(([id, { metric }]) => [id, metric] as const);
  return overMetrics(reached.join(" + "), Object.fromEntries(metrics), label);
}

interface ShareProps {
  /** Expressions over the metrics below. */
  readonly part: string;
  readonly whole: string;
  readonly metrics: Readonly<Record<string, IMetric>>;
  readonly label: string;
}

/** The part as a percentage of the whole. With fewer than the rule's failures it is 0, since one could be 100 %. */
export function shareMetric(
  runbook: ShareSection,
  { part, whole, metrics, label }: ShareProps,
): MathExpression {
  const { fewest } = alarmRules[runbook];
  const expression = `IF((${part}) >= ${fewest}, 100 * (${part}) / (${whole}), 0)`;
  return overMetrics(expression, metrics, `${label}, in percent`);
}

export function overMetrics(
  expression: string,
  usingMetrics: Readonly<Record<string, IMetric>>,
  label: string,
): MathExpression {
  return new MathExpression({
    expression: `FILL(${expression}, 0)`,
    usingMetrics: { ...usingMetrics },
    label,
  });
}
