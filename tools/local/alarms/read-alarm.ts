import * as z from "zod";
import type { MetricId } from "./metric.ts";
import { type Expression, metricsIn, parseExpression } from "./parse-expression.ts";
import { type Statistic, statistics } from "./statistics.ts";

/** How one metric of an alarm is read. */
export interface MetricStat {
  readonly metric: MetricId;
  readonly statistic: Statistic;
}

/** The parts of a template's alarm that decide its state. */
export interface Alarm {
  readonly expression: Expression;
  /** By their ids in the expression. */
  readonly metrics: ReadonlyMap<string, MetricStat>;
  readonly periodMilliseconds: number;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly threshold: number;
  readonly missingData: "breaching" | "notBreaching" | "ignore";
}

const statisticNames = Object.keys(statistics);

const statisticSchema = z.custom<Statistic>(
  (value) => typeof value === "string" && statisticNames.includes(value),
  `The local stack supports only the statistics ${statisticNames.join(", ")}`,
);

const metricSchema = z.object({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.string() })).default([]),
});

const metricStatSchema = z.object({
  Metric: metricSchema,
  Period: z.number(),
  Stat: statisticSchema,
});

const ruleSchema = z.object({
  ComparisonOperator: z.literal("GreaterThanOrEqualToThreshold"),
  Threshold: z.number(),
  EvaluationPeriods: z.number(),
  DatapointsToAlarm: z.number().optional(),
  TreatMissingData: z.enum(["breaching", "notBreaching", "ignore"]),
});

const plainSchema = z.object({
  ...ruleSchema.shape,
  ...metricSchema.shape,
  Period: z.number(),
  Statistic: statisticSchema,
});

const querySchema = z.union([
  z.object({ Id: z.string(), MetricStat: metricStatSchema }),
  z.object({ Id: z.string(), Expression: z.string() }),
]);

const mathSchema = z.object({ ...ruleSchema.shape, Metrics: z.array(querySchema) });

/**
 * Reads the resolved properties of an `AWS::CloudWatch::Alarm`. Throws if the alarm uses anything that the local
 * evaluation does not support: it must not fail silently.
 */
export function readAlarm(properties: unknown): Alarm {
  const isMath = typeof properties === "object" && properties !== null && "Metrics" in properties;
  return isMath ? readMath(properties) : readPlain(properties);
}

/** An alarm on one metric is an expression that names it. */
function readPlain(properties: unknown): Alarm {
  const plain = plainSchema.parse(properties);
  const metrics = new Map([
    ["metric", { metric: idOf(plain), statistic: plain.Statistic }] as const,
  ]);
  return { ...ruleOf(plain, plain.Period), expression: parseExpression("metric"), metrics };
}

function readMath(properties: unknown): Alarm {
  const { Metrics, ...rule } = mathSchema.parse(properties);
  const stats = Metrics.flatMap((query) => ("MetricStat" in query ? [query] : []));
  const texts = Metrics.flatMap((query) => ("Expression" in query ? [query.Expression] : []));
  const periods = new Set(stats.map(({ MetricStat }) => MetricStat.Period));
  const [text, period] = [texts[0], [...periods][0]];
  if (text === undefined || texts.length > 1 || period === undefined || periods.size > 1) {
    throw new Error("An alarm must have one expression, over metrics with one period.");
  }
  const metrics = new Map(
    stats.map(({ Id, MetricStat: { Metric, Stat } }) => {
      return [Id, { metric: idOf(Metric), statistic: Stat }] as const;
    }),
  );
  const expression = parseExpression(text);
  const missing = metricsIn(expression).filter((id) => !metrics.has(id));
  if (missing.length > 0) throw new Error(`The alarm has no metric ${missing.join(", ")}: ${text}`);
  return { ...ruleOf(rule, period), expression, metrics };
}

function ruleOf(rule: z.infer<typeof ruleSchema>, periodSeconds: number) {
  return {
    periodMilliseconds: periodSeconds * 1000,
    evaluationPeriods: rule.EvaluationPeriods,
    datapointsToAlarm: rule.DatapointsToAlarm ?? rule.EvaluationPeriods,
    threshold: rule.Threshold,
    missingData: rule.TreatMissingData,
  };
}

function idOf({ Namespace, MetricName, Dimensions }: z.infer<typeof metricSchema>): MetricId {
  const dimensions = Dimensions.map(({ Name, Value }) => [Name, Value] as const);
  return { namespace: Namespace, name: MetricName, dimensions: Object.fromEntries(dimensions) };
}
