import { Duration } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { inboxVisibilityMilliseconds } from "../../shared/timing.ts";
import { addAlarm } from "../alarms/alarm.ts";
import { limits } from "../alarms/alarm-rules.ts";
import { QueuePair, queueTrouble } from "./queue-pair.ts";

/**
 * The maximum of SQS. process-callback quarantines messages that cannot be understood and, after six hours, messages on
 * which our own code fails. So only an outage leads to this many receives. The pause between receives soon grows to a
 * minute: 1000 receives take more than half a day.
 */
const maxReceiveCount = 1000;

/** Callbacks are stored here before they are acknowledged. */
export class Inbox extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, encryptionKey: IKey | undefined) {
    super(scope, id);
    const visibility = Duration.millis(inboxVisibilityMilliseconds);
    const shape = { ordered: true, visibility, maxReceiveCount };
    const pair = new QueuePair(this, "Messages", { ...shape, encryptionKey });
    this.queue = pair.queue;
    this.deadLetters = pair.deadLetters;
    addAlarm(this, "QueueAlarm", {
      metric: queueTrouble(pair, limits.waitSeconds, "the inbox"),
      meaning:
        "A stored callback has waited for 15 minutes, so process-callback does not run often enough. Or a message without a record is in the dead-letter queue of the inbox.",
      command: "check",
      runbook: "inbox",
    });
  }
}
