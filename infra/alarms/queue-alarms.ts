import { Duration } from "aws-cdk-lib";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { type AlarmTexts, addAlarm, shortPeriod } from "./alarm.ts";

const options = { statistic: "Maximum", period: shortPeriod };

/**
 * Four days before SQS deletes a message after 14. On a standard queue the 14 days begin when the message was first
 * sent, but this age begins when it became a dead letter. The margin covers the time between.
 */
const expiringAge = Duration.days(10);

/** Messages that nobody received for too long. SQS's metric ignores messages that were received several times. */
export function alarmOnAge(scope: Construct, queue: Queue, limit: Duration, texts: AlarmTexts) {
  addAlarm(scope, "AgeAlarm", {
    metric: queue.metricApproximateAgeOfOldestMessage(options),
    threshold: limit.toSeconds(),
    ...texts,
  });
}

/** A dead letter always needs a person: one alarm when it arrives, one before it expires. */
export function alarmOnDeadLetters(
  scope: Construct,
  deadLetters: Queue,
  owner: string,
  texts: AlarmTexts,
) {
  addAlarm(scope, "DeadLettersAlarm", {
    metric: deadLetters.metricApproximateNumberOfMessagesVisible(options),
    threshold: 1,
    ...texts,
  });
  addAlarm(scope, "ExpiringAlarm", {
    metric: deadLetters.metricApproximateAgeOfOldestMessage(options),
    threshold: expiringAge.toSeconds(),
    meaning: `A dead letter of ${owner} is ten days old, and SQS deletes it after 14 days.`,
    action: "Redrive it now, or copy it to a safe place.",
    runbook: "dead-letters-expiring",
  });
}
