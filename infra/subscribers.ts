import { Aws, Duration, Stack } from "aws-cdk-lib";
import { AccountPrincipal, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { addAlarm } from "./alarm.ts";
import { QueuePair } from "./queue-pair.ts";
import type { Subscriber } from "./subscriber-config.ts";

/** `deadLettersArn` only where the queue was made here. */
type QueueNames = { url: string; arn: string; deadLettersArn?: string };
type SubscriberQueue = Subscriber & QueueNames;

/** The queues that events go to: made here with dead letters, or owned by somebody else. */
export class Subscribers extends Construct {
  readonly queues: SubscriberQueue[];
  readonly queueArns: string[];
  /** As the functions read it. */
  readonly list: string;

  constructor(scope: Construct, id: string, subscribers: readonly Subscriber[]) {
    super(scope, id);
    this.queues = subscribers.map((subscriber) => ({ ...subscriber, ...this.queueOf(subscriber) }));
    this.queueArns = this.queues.map(({ arn }) => arn);
    this.list = Stack.of(this).toJsonString(
      this.queues.map(({ name, types, url, ordered }) => ({ name, types, queueUrl: url, ordered })),
    );
  }

  private queueOf(subscriber: Subscriber): QueueNames {
    if (subscriber.queueArn !== undefined) return existingQueue(subscriber.queueArn);
    const { queue, deadLetters } = new SubscriberQueues(this, subscriber.name, subscriber);
    return { url: queue.queueUrl, arn: queue.queueArn, deadLettersArn: deadLetters.queueArn };
  }
}

class SubscriberQueues extends QueuePair {
  constructor(scope: Construct, id: string, { name, ordered, readers }: Subscriber) {
    super(scope, id, {
      ordered,
      // Six times a consumer of half a minute, if it is a Lambda.
      visibility: Duration.seconds(180),
      maxReceiveCount: 10,
    });
    // A consumer also looks after its own dead letters.
    for (const queue of [this.queue, this.deadLetters]) letRead(queue, readers);
    addAlarm(this, "DeadLettersAlarm", {
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: "Maximum" }),
      threshold: 1,
      meaning: `The consumer of ${name} failed ten times on an event.`,
      action: "Ask the team that reads the queue; redrive the event when they have mended it.",
      runbook: "subscriber-dead-letters",
    });
  }
}

function letRead(queue: Queue, accountIds: readonly string[]): void {
  if (accountIds.length === 0) return;
  queue.addToResourcePolicy(
    new PolicyStatement({
      principals: accountIds.map((accountId) => new AccountPrincipal(accountId)),
      actions: [
        "sqs:ReceiveMessage",
        "sqs:DeleteMessage",
        "sqs:ChangeMessageVisibility",
        "sqs:GetQueueAttributes",
        "sqs:GetQueueUrl",
      ],
      resources: [queue.queueArn],
    }),
  );
}

function existingQueue(arn: string): { url: string; arn: string } {
  const [, , , region, account, name] = arn.split(":");
  return { arn, url: `https://sqs.${region}.${Aws.URL_SUFFIX}/${account}/${name}` };
}
