import { Duration, RemovalPolicy } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { encryptedWith, highThroughputFifo } from "./queue-pair.ts";

/**
 * A queue for messages that nobody misses after a day: it has no dead letters and no alarms, and it is deleted with the
 * stack. FIFO, because SQS drops repeats only in such a queue.
 */
export function shortLivedQueue(scope: Construct, id: string, key: IKey | undefined): Queue {
  return new Queue(scope, id, {
    ...encryptedWith(key),
    ...highThroughputFifo,
    retentionPeriod: Duration.days(1),
    removalPolicy: RemovalPolicy.DESTROY,
  });
}
