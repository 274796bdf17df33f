import { SendMessageBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { queueMessage } from "../../shared/delivery/send-event.ts";
import { sha256Of } from "../../shared/sha256.ts";
import type { TargetSubscriber } from "../target/target.ts";
import type { StoredEvent } from "./stored-event.ts";

/** An event that the queue did not take. */
interface Refusal {
  readonly event: StoredEvent;
  readonly code: string;
  /** The same call would be refused again. */
  readonly isLasting: boolean;
}

/** Sends events in one call. Gives those that were refused; throws if the whole call was. */
export type SendBatch = (events: readonly StoredEvent[]) => Promise<readonly Refusal[]>;

const callMilliseconds = 20_000;

/**
 * The message is the live one, with the run as a further attribute. SQS remembers a live event's deduplication id for five
 * minutes and would drop the replay, so the run is part of the id; a repeat within a run is still dropped.
 */
export function createBatchSender(
  sqs: SQSClient,
  subscriber: TargetSubscriber,
  run: string,
): SendBatch {
  const replay = { DataType: "String", StringValue: run };
  return async (events) => {
    const Entries = events.map(({ event, factId, type, group }, index) => {
      const eventId = sha256Of(run, factId);
      const live = queueMessage(subscriber, { event, eventId, type, group });
      const MessageAttributes = { ...live.MessageAttributes, replay };
      return { Id: String(index), ...live, MessageAttributes };
    });
    const command = new SendMessageBatchCommand({ QueueUrl: subscriber.queueUrl, Entries });
    const abortSignal = AbortSignal.timeout(callMilliseconds);
    const { Failed = [] } = await sqs.send(command, { abortSignal });
    return Failed.flatMap(({ Id, Code = "unknown", SenderFault = false }) => {
      const event = events[Number(Id)];
      return event === undefined ? [] : [{ event, code: Code, isLasting: SenderFault }];
    });
  };
}
