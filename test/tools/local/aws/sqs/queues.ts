import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
  type SendMessageCommandInput,
  type SendMessageCommandOutput,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll } from "vitest";
import type { Listening } from "../../../../../tools/local/aws/listen-on-loopback.ts";
import { startSqs } from "../../../../../tools/local/aws/sqs/start-sqs.ts";
import { sqsClient } from "../aws-clients.ts";

type Sent = Omit<SendMessageCommandInput, "QueueUrl" | "MessageBody">;
type Asked = Omit<ReceiveMessageCommandInput, "QueueUrl">;

/** A queue as the SDK sees it. Tests call it by what they mean. */
export interface TestQueue {
  readonly url: string;
  readonly arn: string;
  /** Sends the body; on a FIFO queue under a deduplication id that is the body, unless another is given. */
  send(body: string, sent?: Sent): Promise<SendMessageCommandOutput>;
  /** At most ten. */
  receive(asked?: Asked): Promise<Message[]>;
  delete(message: Message): Promise<unknown>;
  setVisibility(message: Message, seconds: number): Promise<unknown>;
  /** Visible and in flight. */
  counts(): Promise<readonly [visible: number, inFlight: number]>;
}

/** The emulator for a test file, on a clock that only the test moves. */
export function useSqs() {
  const started = 1_700_000_000_000;
  const clock = { now: started };
  let sqs: Listening;
  const state: { client?: SQSClient } = {};
  const client = () => state.client!;
  beforeAll(async () => {
    sqs = await startSqs({ now: () => clock.now });
    state.client = sqsClient(sqs.endpoint);
  });
  afterAll(async () => {
    client().destroy();
    await sqs.stop();
  });
  let queues = 0;
  const create = async (Attributes: Record<string, string> = {}): Promise<TestQueue> => {
    queues += 1;
    const isFifo = Attributes["FifoQueue"] === "true";
    const QueueName = `queue-${queues}${isFifo ? ".fifo" : ""}`;
    const made = await client().send(new CreateQueueCommand({ QueueName, Attributes }));
    return queueAt(client(), made.QueueUrl!, isFifo);
  };
  return {
    client,
    now: () => clock.now,
    advance: (seconds: number) => {
      clock.now += seconds * 1_000;
    },
    standard: create,
    fifo: (attributes: Record<string, string> = {}) => create({ FifoQueue: "true", ...attributes }),
  };
}

function queueAt(client: SQSClient, QueueUrl: string, isFifo: boolean): TestQueue {
  const attributes = async () => {
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
    return (await client.send(command)).Attributes!;
  };
  return {
    url: QueueUrl,
    arn: `arn:aws:sqs:us-east-1:000000000000:${QueueUrl.split("/").at(-1)}`,
    send: async (MessageBody, sent = {}) => {
      const ordered = isFifo ? { MessageGroupId: "a", MessageDeduplicationId: MessageBody } : {};
      return await client.send(
        new SendMessageCommand({ QueueUrl, MessageBody, ...ordered, ...sent }),
      );
    },
    receive: async (asked = {}) => {
      const command = new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
        ...asked,
      });
      return (await client.send(command)).Messages ?? [];
    },
    delete: ({ ReceiptHandle }) =>
      client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle })),
    setVisibility: ({ ReceiptHandle }, VisibilityTimeout) =>
      client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }),
      ),
    counts: async () => {
      const { ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible } =
        await attributes();
      return [Number(ApproximateNumberOfMessages), Number(ApproximateNumberOfMessagesNotVisible)];
    },
  };
}

export const bodies = (messages: readonly Message[]) => messages.map(({ Body }) => Body);

/** How often each was received, this time included. */
export const receives = (messages: readonly Message[]) =>
  messages.map(({ Attributes }) => Number(Attributes!.ApproximateReceiveCount));
