import { type Duration, Token } from "aws-cdk-lib";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { type IQueue, Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { PaycastError } from "../../shared/paycast-error.ts";
import {
  longestFunctionTimeoutSeconds,
  shortestConsumerTimeoutSeconds,
} from "../config/subscriber-config.ts";

/** The queue of a subscriber, with what a consumer has to keep to. */
export interface PaycastQueue {
  /** The queue itself. What it grants to a reader includes the use of its KMS key, if it has one. */
  readonly queue: IQueue;
  /** Whether it is a FIFO queue. */
  readonly ordered: boolean;
  /** The longest timeout of a function that reads it: a sixth of the time for which the queue hides a message. */
  readonly consumerTimeoutSeconds: number;
}

/** A queue of a Paycast in another app or account. */
export interface PaycastQueueAttributes {
  /** The ARN from the output `Subscriber…QueueArn` of the Paycast stack. */
  readonly queueArn: string;
  /**
   * Whether the subscriber is `ordered`.
   * @default whether the ARN ends with `.fifo`
   */
  readonly ordered?: boolean;
  /**
   * `consumerTimeoutSeconds` of the subscriber in the config of that Paycast. No subscriber has less than the default.
   * @default 30
   */
  readonly consumerTimeoutSeconds?: number;
  /** ARN of the KMS key of that Paycast, if it has one. */
  readonly encryptionKeyArn?: string;
}

export interface PaycastConsumerProps {
  /** `paycast.subscriberQueue(name)`, or `importPaycastQueue(…)` for a queue of another app or account. */
  readonly queue: PaycastQueue;
  /**
   * The function that handles the events. It must answer with the messages that failed (`batchItemFailures`), as
   * `handleBatch` of the package `paycast-events` does.
   */
  readonly function: IFunction;
  /**
   * The timeout of `function`, if it is imported or a token. Otherwise the function's own counts.
   * @default the timeout of the function
   */
  readonly functionTimeout?: Duration;
  /**
   * The most messages that one call gets: up to 10; up to 10,000 on a queue that is not ordered, with a window. With 1,
   * an event on which the function crashes takes no other event into the dead letters.
   * @default 10
   */
  readonly batchSize?: number;
  /**
   * How long Lambda may wait to fill a batch, up to 5 minutes. Not on an ordered queue.
   * @default none
   */
  readonly maxBatchingWindow?: Duration;
  /**
   * How many batches are handled at once, from 2 to 1000. Needed if the function has reserved concurrency.
   * @default as many as Lambda likes, up to 1250
   */
  readonly maxConcurrency?: number;
  /**
   * The role of the function cannot be changed here, and has all permissions that it needs on the queue and its key.
   * @default false
   */
  readonly permissionsGrantedElsewhere?: boolean;
}

/** Names a queue of a Paycast in another app or account. Its own `readers` must list the account of the consumer. */
export function importPaycastQueue(
  scope: Construct,
  id: string,
  attributes: PaycastQueueAttributes,
): PaycastQueue {
  const { queueArn, encryptionKeyArn: keyArn } = attributes;
  const { consumerTimeoutSeconds = shortestConsumerTimeoutSeconds } = attributes;
  refuseTimeout(consumerTimeoutSeconds);
  if (keyArn !== undefined) refuseAlias(keyArn);
  const ordered = attributes.ordered ?? isFifo(queueArn);
  const queue = Queue.fromQueueAttributes(scope, id, {
    queueArn,
    fifo: ordered,
    ...(keyArn !== undefined && { keyArn }),
  });
  return { queue, ordered, consumerTimeoutSeconds };
}

/** It is easily confused with the time for which the queue hides a message, which is six times as long. */
function refuseTimeout(seconds: number): void {
  const isPossible =
    seconds >= shortestConsumerTimeoutSeconds && seconds <= longestFunctionTimeoutSeconds;
  if (Number.isInteger(seconds) && isPossible) return;
  throw new PaycastError(
    "consumer-unsafe",
    "consumerTimeoutSeconds must be a whole number from 30 to 900, the one of the subscriber in the other config",
  );
}

/** A permission on an alias has no effect: the function could not decrypt a single message. */
function refuseAlias(keyArn: string): void {
  if (Token.isUnresolved(keyArn) || /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/./.test(keyArn)) return;
  const message = "encryptionKeyArn must be the ARN of a KMS key, not of an alias";
  throw new PaycastError("consumer-unsafe", message);
}

function isFifo(queueArn: string): boolean {
  if (!Token.isUnresolved(queueArn)) return queueArn.endsWith(".fifo");
  const message =
    "ordered must be given, because the queue's ARN is not known before the deployment";
  throw new PaycastError("consumer-unsafe", message);
}
