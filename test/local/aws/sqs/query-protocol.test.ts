import { CreateQueueCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSqs } from "../../../../local/aws/sqs/start-sqs.ts";
import { sqsClient } from "../aws-clients.ts";

let sqs: Awaited<ReturnType<typeof startSqs>>;
let QueueUrl: string;
beforeAll(async () => {
  sqs = await startSqs();
  const client = sqsClient(sqs.endpoint);
  const queue = { QueueName: "old.fifo", Attributes: { FifoQueue: "true" } };
  QueueUrl = (await client.send(new CreateQueueCommand(queue))).QueueUrl!;
  for (const [group, MessageBody] of [
    ["a", '{"name":"Tea & <milk>"}\r\n'],
    ["b", "second"],
  ]) {
    await client.send(
      new SendMessageCommand({
        ...{ QueueUrl, MessageBody, MessageGroupId: group, MessageDeduplicationId: group },
        MessageAttributes: { type: { DataType: "String", StringValue: `type ${group}` } },
      }),
    );
  }
  client.destroy();
});
afterAll(() => sqs.stop());

/** As botocore 1.29 writes a call. */
async function call(Action: string, fields: Record<string, string> = {}) {
  const body = new URLSearchParams({ Action, Version: "2012-11-05", QueueUrl, ...fields });
  const answer = await fetch(QueueUrl, { method: "POST", body });
  return { status: answer.status, xml: await answer.text() };
}

const valuesOf = (xml: string, name: string) =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, value]) => value!);

test("an SDK of the old protocol receives, gives back and deletes messages", async () => {
  const receive = { MaxNumberOfMessages: "10", "AttributeName.1": "MessageGroupId" };
  const { status, xml } = await call("ReceiveMessage", {
    ...receive,
    "AttributeName.2": "ApproximateReceiveCount",
    "MessageAttributeName.1": "All",
  });
  expect(status).toBe(200);
  expect(valuesOf(xml, "Body")).toEqual(['{"name":"Tea &amp; &lt;milk&gt;"}&#13;\n', "second"]);
  expect(xml).toContain("<Attribute><Name>MessageGroupId</Name><Value>a</Value></Attribute>");
  expect(xml).toContain("<Name>ApproximateReceiveCount</Name><Value>1</Value>");
  expect(xml).toMatch(
    /<MessageAttribute><Name>type<\/Name><Value>.*<StringValue>type b<\/StringValue>/,
  );
  const [first = "", second = ""] = valuesOf(xml, "ReceiptHandle");
  const entry = "ChangeMessageVisibilityBatchRequestEntry.1.";
  const given = await call("ChangeMessageVisibilityBatch", {
    [`${entry}Id`]: "0",
    [`${entry}ReceiptHandle`]: first,
    [`${entry}VisibilityTimeout`]: "0",
  });
  expect(given.xml).toContain(
    "<ChangeMessageVisibilityBatchResultEntry><Id>0</Id></ChangeMessageVisibilityBatchResultEntry>",
  );
  expect(await call("DeleteMessage", { ReceiptHandle: second })).toMatchObject({ status: 200 });
  const again = await call("ReceiveMessage", receive);
  expect(valuesOf(again.xml, "Body")).toHaveLength(1);
});

test("an error has the code that the SDK looks for", async () => {
  const { status, xml } = await call("ReceiveMessage", { QueueUrl: `${QueueUrl}-unknown` });
  expect(status).toBe(400);
  expect(valuesOf(xml, "Code")).toEqual(["AWS.SimpleQueueService.NonExistentQueue"]);
});
