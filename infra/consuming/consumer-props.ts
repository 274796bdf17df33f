import type { Duration } from "aws-cdk-lib";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { PaycastQueue } from "./paycast-queue.ts";

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
