import type { SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { createEventSender, queueMessage } from "../../../shared/delivery/deliver-event.ts";
import { subscribersTo } from "../../../shared/delivery/subscriber.ts";

const books = { name: "books", types: ["*"], queueUrl: "https://sqs.test/books", ordered: true };
const outgoing = { event: "{}", eventId: "fact", type: "payment.order.success", group: "group" };
const type = { DataType: "String", StringValue: "payment.order.success" };

test("an ordered queue gets group and deduplication id, any queue the type", () => {
  const common = { MessageBody: "{}", MessageAttributes: { type } };
  const inOrder = { MessageGroupId: "group", MessageDeduplicationId: "fact" };
  expect(queueMessage(books, outgoing)).toEqual({ ...common, ...inOrder });
  expect(queueMessage({ ...books, ordered: false }, outgoing)).toEqual(common);
});

test("the sender sends it to the subscriber's queue", async () => {
  const sent: unknown[] = [];
  const send = async ({ input }: { input: object }, options: object) =>
    void sent.push(input, options);
  await createEventSender({ send } as unknown as SQSClient)(books, outgoing, 1_000);
  expect(sent).toEqual([
    { QueueUrl: books.queueUrl, ...queueMessage(books, outgoing) },
    { abortSignal: expect.any(AbortSignal) },
  ]);
});

test("a send without a response in time ends with a timeout, whatever the SDK makes of it", async () => {
  const send = async (_command: object, { abortSignal }: { abortSignal: AbortSignal }) => {
    await new Promise((resolve) => abortSignal.addEventListener("abort", resolve));
    throw Object.assign(new Error("Request aborted"), { name: "AbortError" });
  };
  const sending = createEventSender({ send } as unknown as SQSClient)(books, outgoing, 1);
  await expect(sending).rejects.toMatchObject({ name: "TimeoutError" });
});

test("one of a subscriber's patterns is enough", () => {
  const wants = { ...books, types: ["payment.refund.*", "payment.order.success"] };
  expect(subscribersTo({ type: "payment.order.success", merchantId: "m" }, [wants])).toEqual([
    wants,
  ]);
});
