import { CfnResource, Duration, RemovalPolicy } from "aws-cdk-lib";
import type { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { IKey } from "aws-cdk-lib/aws-kms";
import {
  CfnQueue,
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
  type QueueProps,
  RedrivePermission,
} from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { mostMessageBytes } from "../../shared/message-size.ts";
import { limits } from "../alarms/alarm-rules.ts";
import { countCauses } from "../alarms/expressions.ts";

interface QueuePairProps {
  encryptionKey: IKey | undefined;
  ordered: boolean;
  visibility: Duration;
  maxReceiveCount: number;
}

/** Whether the oldest message of a queue waits too long, or its dead-letter queue is not empty. */
export function queueTrouble(
  { queue, deadLetters }: QueuePair,
  waitSeconds: number,
  owner: string,
): MathExpression {
  const age = queue.metricApproximateAgeOfOldestMessage(largest);
  const letters = deadLetters.metricApproximateNumberOfMessagesVisible(largest);
  return countCauses(
    { age: { metric: age, limit: waitSeconds }, letters: { metric: letters, limit: limits.any } },
    `${owner}: old messages, or dead letters`,
  );
}

const largest = { statistic: "Maximum" };

/** A queue and its dead-letter queue. Both stay when the stack is deleted: their messages exist nowhere else. */
export class QueuePair extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: QueuePairProps) {
    super(scope, id);
    const encrypted = queueDefaults(props.encryptionKey);
    const shared = props.ordered ? { ...encrypted, ...highThroughputFifo } : encrypted;
    this.deadLetters = createQueue(this, "DeadLetters", shared);
    this.queue = createQueue(this, "Queue", {
      ...shared,
      ...noForeignLetters,
      visibilityTimeout: props.visibility,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceiveCount },
    });
    keepWithPolicy(this.deadLetters);
    keepWithPolicy(this.queue);
  }
}

/**
 * The queue of a subscriber that was removed from the config stays, and so does its policy: otherwise readers in
 * another account could not read the remaining messages. Only a failed first deployment deletes both; otherwise each
 * retry would leave another set of empty queues.
 */
function keepWithPolicy(queue: Queue): void {
  for (const construct of queue.node.findAll()) {
    if (!CfnResource.isCfnResource(construct)) continue;
    construct.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
  }
}

/** CDK leaves SQS's own encryption unsaid beside a KMS key. CloudFormation would not notice that it is on. */
function createQueue(scope: Construct, id: string, props: QueueProps): Queue {
  const queue = new Queue(scope, id, props);
  const { defaultChild } = queue.node;
  if (props.encryptionMasterKey !== undefined && defaultChild instanceof CfnQueue) {
    defaultChild.sqsManagedSseEnabled = false;
  }
  return queue;
}

/** Encryption, TLS and retention of every queue. The default key is SQS's own: no KMS call per callback, and readers in other accounts need no key policy. */
function queueDefaults(encryptionMasterKey: IKey | undefined) {
  return {
    ...(encryptionMasterKey
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey }
      : { encryption: QueueEncryption.SQS_MANAGED }),
    enforceSSL: true,
    // Written down, because a stamped message can be larger than the 256 KiB that were SQS's default.
    maxMessageSizeBytes: mostMessageBytes,
    retentionPeriod: Duration.days(14),
  } satisfies QueueProps;
}

/**
 * Otherwise any queue of the account could name this one as its dead-letter queue, and SQS would move messages here
 * without checking the queue's policy. A dead-letter queue cannot name its source, because the two would depend on each
 * other.
 */
const noForeignLetters = {
  redriveAllowPolicy: { redrivePermission: RedrivePermission.DENY_ALL },
} satisfies QueueProps;

/** Throughput limit and deduplication per message group, so that one order does not affect another. */
const highThroughputFifo = {
  fifo: true,
  contentBasedDeduplication: false,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
} satisfies QueueProps;

/**
 * A queue for messages that nobody needs after a day. It has no dead-letter queue and no alarms, and is deleted with
 * the stack. FIFO, because SQS drops repeats only in such a queue.
 */
export function shortLivedQueue(scope: Construct, id: string, key: IKey | undefined): Queue {
  return createQueue(scope, id, {
    ...queueDefaults(key),
    ...highThroughputFifo,
    ...noForeignLetters,
    retentionPeriod: Duration.days(1),
    removalPolicy: RemovalPolicy.DESTROY,
  });
}
