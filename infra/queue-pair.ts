import { Duration, RemovalPolicy } from "aws-cdk-lib";
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
  type QueueProps,
} from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";

type QueuePairProps = {
  ordered: boolean;
  visibility: Duration;
  maxReceiveCount: number;
};

/** A queue and the dead letters behind it. Both outlive the stack: what they hold is not stored again. */
export class QueuePair extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: QueuePairProps) {
    super(scope, id);
    const shared = props.ordered
      ? { ...keptAndEncrypted, ...highThroughputFifo }
      : keptAndEncrypted;
    this.deadLetters = new Queue(this, "DeadLetters", shared);
    this.queue = new Queue(this, "Queue", {
      ...shared,
      visibilityTimeout: props.visibility,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceiveCount },
    });
  }
}

const keptAndEncrypted = {
  // A key of SQS's own: no KMS call on the way of a callback, and readers in other accounts need no key policy.
  encryption: QueueEncryption.SQS_MANAGED,
  enforceSSL: true,
  retentionPeriod: Duration.days(14),
  removalPolicy: RemovalPolicy.RETAIN,
} satisfies QueueProps;

/** Limits and deduplication by message group: orders neither wait for nor swallow one another. */
const highThroughputFifo = {
  fifo: true,
  contentBasedDeduplication: false,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
} satisfies QueueProps;
