import { Buffer } from "node:buffer";
import type { SendMessageCommandInput, SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { mostMessageBytes } from "../../../shared/message-size.ts";
import { createDeadLetters } from "../../../shared/processing/send-to-dead-letters.ts";

const queued = {
  messageId: "m",
  receiptHandle: "r",
  group: "g",
  receiveCount: 1,
  sentAtMilliseconds: 0,
};
const why = new PaycastError("item-too-large", "Too large: é.");
/** SQS counts the name, type and value of each attribute. */
const attributes = `reasonString${why.code}detailString${why.message}`;
const room = mostMessageBytes - Buffer.byteLength(attributes);

/** What SQS gets for a body. */
async function inputFor(body: string) {
  const inputs: SendMessageCommandInput[] = [];
  const send = async ({ input }: { input: SendMessageCommandInput }) => void inputs.push(input);
  await createDeadLetters({ send } as unknown as SQSClient, "dead")({ ...queued, body }, why);
  return inputs[0]!;
}

test("a dead letter has its reason as attributes up to the size that SQS accepts", async () => {
  const longest = "x".repeat(room);
  expect(await inputFor(longest)).toMatchObject({
    MessageBody: longest,
    MessageAttributes: {
      reason: { DataType: "String", StringValue: why.code },
      detail: { DataType: "String", StringValue: why.message },
    },
  });
});

test("a dead letter without room for attributes is sent without them", async () => {
  const longer = "x".repeat(room + 1);
  const { MessageBody, MessageAttributes } = await inputFor(longer);
  expect(MessageBody).toBe(longer);
  expect(MessageAttributes).toEqual({});
});
