import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { addAlarm } from "../alarms/alarm.ts";
import { limits } from "../alarms/alarm-rules.ts";
import { countCauses } from "../alarms/expressions.ts";

/** CloudWatch allows at most ten metrics in one alarm. */
const mostMetrics = 10;

/** A dead-letter message needs attention before SQS deletes it. Other alarms go off when it arrives. */
export function alarmOnExpiring(scope: Construct, deadLetters: readonly Queue[]): void {
  for (let first = 0; first < deadLetters.length; first += mostMetrics) {
    const id = first === 0 ? "ExpiringAlarm" : `ExpiringAlarm${first / mostMetrics + 1}`;
    const ages = deadLetters.slice(first, first + mostMetrics).map((queue, index) => {
      const metric = queue.metricApproximateAgeOfOldestMessage({ statistic: "Maximum" });
      return [`age${index + 1}`, { metric, limit: limits.expiringSeconds }] as const;
    });
    addAlarm(scope, id, {
      metric: countCauses(Object.fromEntries(ages), "dead-letter queues with expiring messages"),
      meaning:
        "A dead-letter message of the inbox or of a subscriber is ten days old, and SQS deletes it after 14 days.",
      command: "check",
      runbook: "dead-letters-expiring",
    });
  }
}
