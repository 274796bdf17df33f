import { CfnResource, Duration, RemovalPolicy } from "aws-cdk-lib";
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
  type QueueProps,
} from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";

interface QueuePairProps {
  ordered: boolean;
  visibility: Duration;
  maxReceiveCount: number;
}

/** A queue and the dead letters behind it. Both outlive the stack: what they hold is not stored again. */
export class QueuePair extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: QueuePairProps) {
    super(scope, id);
    const shared = props.ordered ? { ...encrypted, ...highThroughputFifo } : encrypted;
    this.deadLetters = new Queue(this, "DeadLetters", shared);
    this.queue = new Queue(this, "Queue", {
      ...shared,
      visibilityTimeout: props.visibility,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceiveCount },
    });
    keepWithPolicy(this.deadLetters);
    keepWithPolicy(this.queue);
  }
}

/**
 * A queue whose subscriber left the config stays, and so does its policy: without it the readers of another
 * account could not take what is left. Only a first deployment that fails takes both away again, since
 * each retry would otherwise leave another set of empty queues behind.
 */
function keepWithPolicy(queue: Queue): void {
  for (const construct of queue.node.findAll()) {
    if (!CfnResource.isCfnResource(construct)) continue;
    construct.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
  }
}

const encrypted = {
  // A key of SQS's own: no KMS call on the way of a callback, and readers in other accounts need no key policy.
  encryption: QueueEncryption.SQS_MANAGED,
  enforceSSL: true,
  retentionPeriod: Duration.days(14),
} satisfies QueueProps;

/** Limits and deduplication by message group: orders neither wait for nor swallow one another. */
const highThroughputFifo = {
  fifo: true,
  contentBasedDeduplication: false,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
} satisfies QueueProps;
