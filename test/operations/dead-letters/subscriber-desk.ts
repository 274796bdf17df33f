import { randomUUID } from "node:crypto";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { beforeEach } from "vitest";
import { drain } from "../../integration/aws-stores.ts";
import type { OperatedStack } from "../operated-stack.ts";
import { countOf, operator } from "../quarantine/put-aside.ts";

/** A stack whose subscribers' queues are empty before each test, and what a test puts there and sees. */
export function useSubscriberDesk(operated: OperatedStack) {
  const { target } = operated;
  const { purge } = operator(target);
  const queuesOf = (name: string) => target().subscribers.find((one) => one.name === name)!;
  beforeEach(async () => {
    for (const { queueUrl, deadLettersUrl } of target().subscribers) {
      await purge(queueUrl);
      await purge(deadLettersUrl);
    }
  });
  const type = "payment.order.success";
  const buryText = async (body: string, name: string, group: string): Promise<string> => {
    const { deadLettersUrl, ordered } = queuesOf(name);
    const command = new SendMessageCommand({
      QueueUrl: deadLettersUrl,
      MessageBody: body,
      MessageAttributes: {
        type: { DataType: "String", StringValue: type },
        mark: { DataType: "Binary", BinaryValue: Buffer.from([0, 255]) },
      },
      ...(ordered && { MessageGroupId: group, MessageDeduplicationId: randomUUID() }),
    });
    return (await target().clients.sqs.send(command)).MessageId!;
  };
  return {
    buryText,
    /** A dead letter, as SQS moves an event there; gives its message id. */
    bury: (subject: string, name = "fulfilment", group: string = randomUUID()) => {
      const event = { id: randomUUID(), type, subject, sequence: "0000000007", time: "2026-11-15" };
      return buryText(JSON.stringify(event), name, group);
    },
    letterCount: (name = "fulfilment") => countOf(target(), queuesOf(name).deadLettersUrl),
    received: (name = "fulfilment") => drain(target().clients.sqs, queuesOf(name).queueUrl),
  };
}
