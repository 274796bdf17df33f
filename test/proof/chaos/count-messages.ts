import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { sum } from "./figures.ts";

/** All messages of a queue: visible, in flight and delayed. */
export async function countMessages(sqs: SQSClient, QueueUrl: string): Promise<number> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }),
  );
  const kinds = ["", "NotVisible", "Delayed"] as const;
  return sum(kinds.map((kind) => Number(Attributes[`ApproximateNumberOfMessages${kind}`] ?? 0)));
}
