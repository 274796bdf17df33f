import { Duration, Stack } from "aws-cdk-lib";
import { AccountPrincipal, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { defaultMaxReceiveCount } from "../../shared/consumer/handle-batch.ts";
import { smokeName } from "../../shared/smoke-merchant.ts";
import { usualWaitMinutes } from "../../shared/timing.ts";
import { addAlarm } from "../alarms/alarm.ts";
import type { Config } from "../config/config-schema.ts";
import { type Subscriber, visibilitySeconds } from "../config/subscriber-config.ts";
import { QueuePair, queueTrouble, shortLivedQueue } from "./queue-pair.ts";

/**
 * Half an hour of failures for a consumer with the default timeout: longer than a deployment of the consumer, shorter
 * than a shift. Consumers rely on the same number.
 */
const maxReceiveCount = defaultMaxReceiveCount;

/** The queues of the subscribers, each with a dead-letter queue. */
export class Subscribers extends Construct {
  readonly queues: SubscriberQueues[];
  /** Receives only the events of smoke tests. Nobody waits for them, so it has no alarms. */
  readonly smokeQueue: Queue | undefined;
  readonly queueArns: string[];
  /** The subscribers as JSON, for the functions' environment. */
  readonly list: string;

  constructor(
    scope: Construct,
    id: string,
    config: Pick<Config, "subscribers" | "smoke">,
    key: IKey | undefined,
  ) {
    super(scope, id);
    this.queues = config.subscribers.map(
      (subscriber) => new SubscriberQueues(this, subscriber.name, subscriber, key),
    );
    this.smokeQueue = config.smoke ? shortLivedQueue(this, smokeName, key) : undefined;
    const deliveries = [...this.queues.map(deliveryTo), ...smokeDelivery(this.smokeQueue)];
    this.queueArns = deliveries.map(({ queue }) => queue.queueArn);
    this.list = Stack.of(this).toJsonString(
      deliveries.map(({ queue, name, types, merchants, maxWaitMinutes }) => {
        const wait = maxWaitMinutes === usualWaitMinutes ? undefined : maxWaitMinutes;
        return { name, types, merchants, queue: queue.queueName, maxWaitMinutes: wait };
      }),
    );
  }
}

/** A queue, and the events that are sent to it. */
type Delivery = Pick<Subscriber, "name" | "types" | "merchants" | "maxWaitMinutes"> & {
  queue: Queue;
};

function deliveryTo({ queue, subscriber }: SubscriberQueues): Delivery {
  const { name, types, merchants, maxWaitMinutes } = subscriber;
  return { name, types, merchants, maxWaitMinutes, queue };
}

function smokeDelivery(queue: Queue | undefined): Delivery[] {
  if (queue === undefined) return [];
  const merchants = [smokeName];
  return [{ name: smokeName, types: ["*"], merchants, maxWaitMinutes: usualWaitMinutes, queue }];
}

export class SubscriberQueues extends QueuePair {
  readonly subscriber: Subscriber;

  constructor(
    scope: Construct,
    id: string,
    subscriber: Subscriber,
    encryptionKey: IKey | undefined,
  ) {
    const { ordered, consumerTimeoutSeconds } = subscriber;
    const visibility = Duration.seconds(visibilitySeconds(consumerTimeoutSeconds));
    super(scope, id, { ordered, visibility, maxReceiveCount, encryptionKey });
    this.subscriber = subscriber;
    // A consumer also handles its own dead-letter messages.
    for (const queue of [this.queue, this.deadLetters]) letRead(queue, subscriber.readers);
    this.alarmOnTrouble(subscriber);
  }

  private alarmOnTrouble({ name, maxWaitMinutes }: Subscriber): void {
    const waitSeconds = Duration.minutes(maxWaitMinutes).toSeconds();
    addAlarm(this, "QueueAlarm", {
      metric: queueTrouble(this, waitSeconds, name),
      meaning:
        `The consumer of ${name} does not run, fails or is too slow: an event has waited ${maxWaitMinutes} minutes. Or it received an event ${maxReceiveCount} times without finishing it: ` +
        "it failed, hung or crashed, the event is a dead letter, and later events of the order may have overtaken it.",
      // `check` distinguishes the two.
      command: "check",
      runbook: "subscriber-queue",
    });
  }
}

/**
 * The permissions of a consumer, for example a Lambda with an event source mapping in another account. Redriving is not
 * included: SQS does not allow StartMessageMoveTask across accounts, so the owner of this stack redrives.
 */
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
