import { plainId, type Resource, spell } from "./stack-template.ts";

/** An alarm in words, so that a table can hold it against what is meant. */
export type AlarmShape = {
  /** `namespace/metric statistic of subject`, one for each metric, sorted. */
  readonly watches: readonly string[];
  readonly threshold: number;
  readonly periodSeconds: number;
  readonly severity: string | undefined;
  readonly runbook: string | undefined;
};

type Metric = { Namespace: string; MetricName: string; Dimensions?: Dimension[] };
type Dimension = { Name: string; Value: unknown };
type Stat = { Metric: Metric; Period: number; Stat: string };

/** The options of a config that add alarms. A section of the runbook, a graph and a severity stand for these too. */
export const alarmingOptions = { callbacks: { sourceAddresses: ["203.0.113.0/24"] } };

export function shapeOf(alarm: Resource): AlarmShape {
  const stats = statsOf(alarm);
  const periods = new Set(stats.map(({ Period }) => Period));
  if (periods.size !== 1) throw new Error("the metrics of one alarm have different periods");
  return {
    watches: stats.map(inWords).sort(),
    threshold: alarm.Properties.Threshold,
    periodSeconds: [...periods][0]!,
    severity: severityOf(alarm),
    runbook: runbookSection(alarm),
  };
}

export function runbookSection(alarm: Resource): string | undefined {
  return /Runbook: docs\/runbook\.md#([a-z-]+)(\s|$)/.exec(descriptionOf(alarm))?.[1];
}

export function severityOf(alarm: Resource): string | undefined {
  return / Severity: (wake|morning)\. /.exec(descriptionOf(alarm))?.[1];
}

export function descriptionOf({ Properties }: Resource): string {
  return spell(Properties.AlarmDescription);
}

function statsOf({ Properties }: Resource): Stat[] {
  if (Properties.Metrics === undefined) {
    return [{ Metric: Properties, Period: Properties.Period, Stat: Properties.Statistic }];
  }
  return Properties.Metrics.flatMap((entry: { MetricStat?: Stat }) => entry.MetricStat ?? []);
}

function inWords({ Metric: { Namespace, MetricName, Dimensions = [] }, Stat }: Stat): string {
  const subjects = Dimensions.map(({ Value }) =>
    typeof Value === "string" ? Value : plainId(String(Object.values(Value as object).flat()[0])),
  );
  return `${Namespace}/${MetricName} ${Stat} of ${subjects.sort().join(" ")}`;
}
