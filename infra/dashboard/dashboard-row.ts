import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { graphPeriod, outcomeMetric } from "../alarms/alarm.ts";
import type { RunbookSection } from "../alarms/alarm-rules.ts";
import type { FunctionName } from "../config/function-names.ts";

/** One row of the dashboard. */
export interface DashboardRow {
  readonly title: string;
  /** One sentence: what happens here. */
  readonly text: string;
  readonly sections: readonly RunbookSection[];
  readonly graphs: readonly Graph[];
}

export type Graph = ReturnType<typeof graph>;

/** One graph. Each line has the name of its metric, unless it sets another label. */
export function graph(title: string, ...metrics: readonly IMetric[]) {
  return { title, metrics };
}

/** One line for each outcome that a function counts. */
export function outcomes(scope: Construct, service: FunctionName, ...names: string[]): IMetric[] {
  return names.map((name) => outcomeMetric(scope, service, name));
}

/** The same for each merchant. */
export function outcomesByMerchant(
  scope: Construct,
  service: FunctionName,
  merchantIds: readonly string[],
  ...names: string[]
): IMetric[] {
  return merchantIds.flatMap((merchantId) =>
    names.map((name) =>
      outcomeMetric(scope, service, name, { merchantId }).with({ label: `${merchantId}: ${name}` }),
    ),
  );
}

const largest = { statistic: "Maximum", period: graphPeriod };

export function waiting(queue: Queue, label: string): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ ...largest, label });
}

export function oldest(queue: Queue, label: string): IMetric {
  return queue.metricApproximateAgeOfOldestMessage({ ...largest, label });
}
