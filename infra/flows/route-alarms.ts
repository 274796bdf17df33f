import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { addAlarm } from "../alarms/alarm.ts";
import { quietShop, type ShareSection } from "../alarms/alarm-rules.ts";
import { overMetrics, shareMetric } from "../alarms/expressions.ts";
import type { RouteCounts } from "../api/route-counts.ts";

interface FailingProps {
  /** The beginning of the alarms' ids. */
  readonly id: string;
  /** Which requests failed, for the graph and the text. */
  readonly what: string;
  readonly failed: Metric;
  readonly succeeded: Metric;
  /** Requests that failed in a way that has an alarm of its own. They count as requests that could have failed. */
  readonly others?: Metric;
  readonly cause: string;
  readonly command: string;
  readonly runbook: ShareSection;
}

/**
 * A quarter of the requests in 15 minutes, or all of a quiet shop in six hours. What was rejected with 4xx could not
 * have failed here, so strangers do not dilute the share.
 */
export function alarmOnFailing(scope: Construct, props: FailingProps): void {
  const { id, what, failed, succeeded, others, cause, command, runbook } = props;
  const texts = { command, runbook };
  addAlarm(scope, `${id}FailingAlarm`, {
    metric: shareMetric(runbook, {
      part: "failed",
      whole: others === undefined ? "failed + succeeded" : "others + succeeded",
      metrics: { failed, succeeded, ...(others && { others }) },
      label: what,
    }),
    meaning: `Three or more ${what}, a quarter or more of all in 15 minutes. ${cause}`,
    ...texts,
  });
  addAlarm(scope, `${id}AllFailingAlarm`, {
    metric: overMetrics(
      "IF(succeeded == 0, failed, 0)",
      { failed, succeeded },
      `${what}, and none succeeded`,
    ),
    meaning: `In six hours three or more ${what}, and none succeeded. ${cause}`,
    ...quietShop,
    ...texts,
  });
}

/** API Gateway rejects requests above the limit of the route. Nobody promises that its log has each of them. */
export function alarmOnThrottled(
  scope: Construct,
  what: string,
  { throttled, all }: Pick<RouteCounts, "throttled" | "all">,
): void {
  addAlarm(scope, "ThrottledAlarm", {
    metric: shareMetric("requests-throttled", {
      part: "throttled",
      whole: "requests",
      metrics: { throttled, requests: all },
      label: `${what} throttled`,
    }),
    meaning: `API Gateway throttled three or more ${what}, a quarter or more of all in 15 minutes: more arrive than the route or the account allows.`,
    command: "requests",
    runbook: "requests-throttled",
  });
}
