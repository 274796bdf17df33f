import { randomUUID } from "node:crypto";
import { AwsError } from "../aws-error.ts";
import { append, available, type Queue } from "./queue.ts";
import { redriveOf } from "./queue-attributes.ts";
import { findByArn, type QueueStore } from "./queue-store.ts";

/** Moves all messages of a dead-letter queue; without a destination, each to its source queue. */
export function startMoveTask(
  store: QueueStore,
  SourceArn: string,
  DestinationArn: string | undefined,
): object {
  const source = existing(store, "SourceArn", SourceArn);
  if (DestinationArn !== undefined) existing(store, "DestinationArn", DestinationArn);
  if (!isDeadLetterQueue(store, source)) {
    const message = "Source queue must be configured as a Dead Letter Queue.";
    throw new AwsError("InvalidParameterValue", message);
  }
  const StartedTimestamp = store.now();
  const ApproximateNumberOfMessagesToMove = available(source, StartedTimestamp).length;
  const { moved, failure } = moveAll(store, source, DestinationArn);
  source.moveTasks.unshift({
    Status: failure === undefined ? "COMPLETED" : "FAILED",
    SourceArn,
    DestinationArn,
    StartedTimestamp,
    FailureReason: failure,
    ApproximateNumberOfMessagesMoved: moved,
    ApproximateNumberOfMessagesToMove,
  });
  return { TaskHandle: randomUUID() };
}

export function listMoveTasks(store: QueueStore, SourceArn: string, most: number): object {
  return { Results: existing(store, "SourceArn", SourceArn).moveTasks.slice(0, most) };
}

/** A moved message is new: it has its own id, age and receive count. */
function moveAll(store: QueueStore, source: Queue, destinationArn: string | undefined) {
  const now = store.now();
  let moved = 0;
  for (const message of available(source, now)) {
    const {
      id,
      deadLetterSourceArn,
      firstReceivedAtMilliseconds: _firstReceivedAtMilliseconds,
      ...rest
    } = message;
    const arn = destinationArn ?? deadLetterSourceArn;
    if (arn === undefined) return { moved, failure: "CouldNotDetermineMessageSource" };
    const destination = findByArn(store, arn);
    if (destination === undefined) {
      return { moved, failure: "AWS.SimpleQueueService.NonExistentQueue" };
    }
    const times = { sentAtMilliseconds: now, visibleAtMilliseconds: now };
    append(destination, { ...rest, ...times, receiveCount: 0 });
    source.messages.delete(id);
    moved += 1;
  }
  return { moved, failure: undefined };
}

export function isDeadLetterQueue({ queues }: QueueStore, { arn }: Queue): boolean {
  return [...queues.values()].some(
    ({ attributes }) => redriveOf(attributes)?.deadLetterTargetArn === arn,
  );
}

function existing(store: QueueStore, parameter: string, arn: string): Queue {
  const queue = findByArn(store, arn);
  if (queue !== undefined) return queue;
  const message = `The resource that you specified for the ${parameter} parameter doesn't exist.`;
  throw new AwsError("ResourceNotFoundException", message);
}
