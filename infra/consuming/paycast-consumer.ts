import {
  CfnEventSourceMapping,
  EventSourceMapping,
  type Function as LambdaFunction,
} from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { PaycastError } from "../../shared/paycast-error.ts";
import {
  batchFaults,
  concurrencyFaults,
  madeHere,
  permissionFaults,
  placeFaults,
  timeoutFaults,
} from "./consumer-faults.ts";
import type { PaycastConsumerProps } from "./paycast-queue.ts";

/**
 * Attaches a function to the queue of a subscriber, with partial batch responses. Throws `consumer-unsafe`, with one
 * line for each fault, if messages would be lost or handled twice.
 */
export class PaycastConsumer extends Construct {
  private readonly target: LambdaFunction | undefined;
  private readonly concurrency: number;

  constructor(scope: Construct, id: string, props: PaycastConsumerProps) {
    super(scope, id);
    this.target = madeHere(props.function);
    this.concurrency = props.maxConcurrency ?? 0;
    this.refuseFaults(props);
    const { queueArn: eventSourceArn } = props.queue.queue;
    // Again when all of the app is there: another reader may be added after this one.
    this.node.addValidation({ validate: () => this.sharingFaults(props) });
    if (!props.permissionsGrantedElsewhere) props.queue.queue.grantConsumeMessages(props.function);
    const { maxBatchingWindow, maxConcurrency } = props;
    new EventSourceMapping(this, "Events", {
      target: props.function,
      eventSourceArn,
      batchSize: props.batchSize ?? 10,
      // Without it one failed message would repeat the whole batch, up to the dead letters.
      reportBatchItemFailures: true,
      ...(maxBatchingWindow && { maxBatchingWindow }),
      ...(maxConcurrency !== undefined && { maxConcurrency }),
    });
  }

  private refuseFaults(props: PaycastConsumerProps): void {
    const faults = [
      ...timeoutFaults(props),
      ...batchFaults(props),
      ...concurrencyFaults(props, this.takenByOthers()),
      ...permissionFaults(props),
      ...placeFaults(this, props),
      ...this.sharingFaults(props),
    ];
    if (faults.length === 0) return;
    const lines = faults.map((fault) => `\n  ${fault}`).join("");
    throw new PaycastError(
      "consumer-unsafe",
      `${this.node.path} would lose or repeat messages:${lines}`,
    );
  }

  /** How many batches the function may get at once from other queues. */
  private takenByOthers(): number {
    const others = this.node.root.node.findAll().flatMap((other) => {
      if (!(other instanceof PaycastConsumer) || other === this) return [];
      return other.target !== undefined && other.target === this.target ? other.concurrency : [];
    });
    return others.reduce((sum, concurrency) => sum + concurrency, 0);
  }

  /** SQS gives each message to one of the readers only, so each would miss what the other one gets. */
  private sharingFaults({ queue: { queue } }: PaycastConsumerProps): string[] {
    const others = this.node.root.node
      .findAll()
      .filter(
        (construct) =>
          construct instanceof CfnEventSourceMapping &&
          construct.eventSourceArn === queue.queueArn &&
          !construct.node.scopes.includes(this),
      );
    return others.slice(0, 1).map(({ node }) => {
      const reader = node.path.replace(/\/Resource$/, "");
      return `${reader} reads this queue already, and each event reaches only one of two readers. Add a subscriber for this one.`;
    });
  }
}
