import { Duration } from "aws-cdk-lib";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { addAlarm } from "./alarm.ts";
import { QueuePair } from "./queue-pair.ts";

/** What process-callback may take for a batch; the visibility below follows from it. */
export const processTimeout = Duration.seconds(30);

/**
 * Six times the timeout, as Lambda asks of a queue that it reads, and well under five minutes, the time in
 * which a FIFO subscriber queue recognises a repeat: a message that comes back after a crash between sending
 * and marking is sent again within it, even as the last of its batch.
 */
const visibility = Duration.seconds(180);

/**
 * SQS's own maximum. Poison is quarantined explicitly, so only an outage makes receives pile up, also those
 * of messages skipped behind a failure in their group: an hour of it stays below this count even if a message came
 * back every four seconds, and at the pace of the visibility it is two days.
 */
const maxReceiveCount = 1000;

/** Where a callback is safe: it is acknowledged once it is here. */
export class Inbox extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const pair = new QueuePair(this, "Messages", { ordered: true, visibility, maxReceiveCount });
    this.queue = pair.queue;
    this.deadLetters = pair.deadLetters;
    this.addAlarms();
  }

  private addAlarms(): void {
    addAlarm(this, "DeadLettersAlarm", {
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: "Maximum" }),
      threshold: 1,
      meaning: "An authentic callback was quarantined or could not be processed.",
      action: "Read the reason beside the message, mend the cause and redrive it.",
      runbook: "inbox-dead-letters",
    });
    addAlarm(this, "AgeAlarm", {
      metric: this.queue.metricApproximateAgeOfOldestMessage({ statistic: "Maximum" }),
      // Five tries of a message at the pace of the visibility.
      threshold: 900,
      meaning: "A stored callback has waited a quarter of an hour to be processed.",
      action: "See whether process-callback fails or is held up; nothing is lost yet.",
      runbook: "inbox-age",
    });
  }
}
