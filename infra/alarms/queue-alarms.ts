import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { type AlarmCause, type AlarmTexts, addAlarm } from "./alarm.ts";

const options = { statistic: "Maximum" };

/**
 * Messages that nobody received for too long. SQS's metric ignores messages that were received several times.
 * alarm-rules.ts has the thresholds; a subscriber's is `maxWaitMinutes` of the config.
 */
export function alarmOnAge(scope: Construct, queue: Queue, cause: AlarmCause) {
  addAlarm(scope, "AgeAlarm", {
    metric: queue.metricApproximateAgeOfOldestMessage(options),
    ...cause,
  });
}

/** A dead letter always needs a person: one alarm when it arrives, one before it expires (alarm-rules.ts says when). */
export function alarmOnDeadLetters(
  scope: Construct,
  deadLetters: Queue,
  owner: string,
  texts: AlarmTexts,
) {
  addAlarm(scope, "DeadLettersAlarm", {
    metric: deadLetters.metricApproximateNumberOfMessagesVisible(options),
    ...texts,
  });
  addAlarm(scope, "ExpiringAlarm", {
    metric: deadLetters.metricApproximateAgeOfOldestMessage(options),
    meaning: `A dead letter of ${owner} is ten days old, and SQS deletes it after 14 days.`,
    action: "Redrive it now, or copy it to a safe place.",
    runbook: "dead-letters-expiring",
  });
}
