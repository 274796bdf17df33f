import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { SendMessageBatchCommand, type SendMessageCommand } from "@aws-sdk/client-sqs";
import { beforeEach, describe, expect, test } from "vitest";
import { failureOf } from "../../../shared/delivery/failure.ts";
import {
  createEventSender,
  createQueueClient,
  queueMessage,
} from "../../../shared/delivery/send-events.ts";
import { subscribersTo } from "../../../shared/delivery/subscriber.ts";
import { useSqs as useEmulator } from "../../tools/local/aws/sqs/queues.ts";
import { useSqs } from "../inbox/use-sqs.ts";

const books = { name: "books", types: ["*"], queueUrl: "https://sqs.test/books", ordered: true };
const outgoing = { event: "{}", eventId: "fact", type: "payment.order.success", group: "group" };
const type = { DataType: "String", StringValue: "payment.order.success" };
const sqs = useEmulator();

test("an ordered queue gets group and deduplication id, any queue the type", () => {
  const common = { MessageBody: "{}", MessageAttributes: { type } };
  const inOrder = { MessageGroupId: "group", MessageDeduplicationId: "fact" };
  expect(queueMessage(books, outgoing)).toEqual({ ...common, ...inOrder });
  expect(queueMessage({ ...books, ordered: false }, outgoing)).toEqual(common);
});

const eventOf = (name: string, event = `{"name":"${name}"}`) => ({
  ...outgoing,
  event,
  eventId: name,
  group: `group-${name}`,
});

test.each([
  ["one", ["a"]],
  ["several", ["a", "b", "c"]],
])("%s: each arrives with its group, its deduplication id and its type", async (_case, names) => {
  const queue = await sqs.fifo();
  const events = names.map((name) => eventOf(name));
  const results = await createEventSender(sqs.client())(
    { ...books, queueUrl: queue.url },
    events,
    5_000,
  );
  expect([...results]).toEqual(events.map((event) => [event, "accepted"]));
  const received = await queue.receive({
    MessageSystemAttributeNames: ["All"],
    MessageAttributeNames: ["All"],
  });
  expect(received.map(({ Body }) => Body)).toEqual(events.map(({ event }) => event));
  for (const [index, { Attributes, MessageAttributes }] of received.entries()) {
    const { MessageGroupId, MessageDeduplicationId } = Attributes!;
    expect([MessageGroupId, MessageDeduplicationId]).toEqual([
      events[index]!.group,
      events[index]!.eventId,
    ]);
    expect(MessageAttributes).toMatchObject({ type });
  }
});

test("of several, one that the queue rejects is named with SQS's reason, and the others arrive", async () => {
  const queue = await sqs.standard({ MaximumMessageSize: "1024" });
  const large = eventOf("large", "x".repeat(2_000));
  const events = [eventOf("a"), large, eventOf("b")];
  const to = { ...books, queueUrl: queue.url, ordered: false };
  const results = await createEventSender(sqs.client())(to, events, 5_000);
  expect(events.map((event) => results.get(event) === "accepted")).toEqual([true, false, true]);
  expect(failureOf("books", results.get(large))).toEqual({
    subscriber: "books",
    errorName: "InvalidParameterValue",
    kind: "refused",
  });
  expect(await queue.counts()).toEqual([2, 0]);
});

describe("an entry of a batch", () => {
  const events = [eventOf("a"), eventOf("b")] as const;
  /** The batch has this result for its second entry, and what is sent alone is accepted. */
  const sendWith = async (entry: object | undefined) => {
    const sent: string[] = [];
    const send = async (command: object) => {
      sent.push(command.constructor.name);
      if (!(command instanceof SendMessageBatchCommand)) return {};
      const Failed = entry ? [{ Id: "1", ...entry }] : [];
      return { Successful: [{ Id: "0", MessageId: "m" }], Failed };
    };
    const results = await createEventSender({ send } as never)(books, events, 1_000);
    expect(results.get(events[0])).toBe("accepted");
    return { sent, result: results.get(events[1]) };
  };

  test.each([
    ["on which SQS failed", { Code: "InternalError", SenderFault: false }],
    ["that SQS throttled", { Code: "ThrottlingException", SenderFault: true }],
    ["that SQS does not mention", undefined],
  ])("%s is sent again, alone", async (_case, entry) => {
    expect(await sendWith(entry)).toEqual({
      sent: ["SendMessageBatchCommand", "SendMessageCommand"],
      result: "accepted",
    });
  });

  test.each([
    ["lacks its KMS key", { Code: "KmsDisabled", SenderFault: true }, "gone"],
    ["is not valid", { Code: "InvalidMessageContents", SenderFault: true }, "refused"],
  ])("that %s is not sent again", async (_case, entry, kind) => {
    const { sent, result } = await sendWith(entry);
    expect(sent).toEqual(["SendMessageBatchCommand"]);
    expect(failureOf("books", result)).toMatchObject({ errorName: entry.Code, kind });
  });
});

test("the events of a batch that SQS refuses are sent one by one, within the same time", async () => {
  const [large, small] = [eventOf("large"), eventOf("small")];
  const tooLong = Object.assign(new Error("too long"), {
    name: "BatchRequestTooLong",
    $metadata: { httpStatusCode: 400 },
  });
  const send = async (command: SendMessageBatchCommand | SendMessageCommand) => {
    if (command instanceof SendMessageBatchCommand) throw tooLong;
    if (command.input.MessageBody === large.event) throw new Error("no");
    return {};
  };
  const results = await createEventSender({ send } as never)(books, [large, small], 1_000);
  expect(results.get(small)).toBe("accepted");
  expect(results.get(large)).toEqual(new Error("no"));
});

describe("a queue that", () => {
  const arrived: string[] = [];
  let answer: (response: ServerResponse) => void;
  const server = createServer(async (request, response) => {
    await text(request);
    arrived.push(`${request.headers["x-amz-target"]}`);
    answer(response);
  });
  const listening = useSqs(server);
  const sendOne = async (limitMilliseconds: number, client = createQueueClient()) =>
    (await createEventSender(client)(books, [outgoing], limitMilliseconds)).get(outgoing);
  const accept = (response: ServerResponse) => {
    response.setHeader("content-type", "application/x-amz-json-1.0");
    response.end(JSON.stringify({ MessageId: "m" }));
  };
  beforeEach(() => {
    arrived.length = 0;
    expect(listening().endpoint).toMatch(/^http/);
  });

  test("hangs fails at the time limit, and gets nothing afterwards", async () => {
    answer = () => {};
    expect(await sendOne(50)).toMatchObject({ name: "TimeoutError" });
    // The attempt itself ends after a second. A client with retries of its own would try again then.
    await pause(1_500);
    expect(arrived).toEqual(["AmazonSQS.SendMessage"]);
  });

  test("fails twice is tried three times", async () => {
    answer = (response) => {
      response.statusCode = 503;
      response.end();
      if (arrived.length === 2) answer = accept;
    };
    expect(await sendOne(3_000)).toBe("accepted");
    expect(arrived).toHaveLength(3);
  });

  test("stops in the middle of its responses takes no connection for ever", async () => {
    const client = createQueueClient();
    answer = (response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{");
    };
    const stalled = Array.from({ length: 60 }, () => sendOne(700, client));
    // All connections that the client may have.
    await expect.poll(() => arrived.length).toBe(50);
    await Promise.all(stalled);
    answer = accept;
    expect(await sendOne(5_000, client)).toBe("accepted");
  });
});

test("one of a subscriber's patterns is enough", () => {
  const wants = { ...books, types: ["payment.refund.*", "payment.order.success"] };
  expect(subscribersTo({ type: "payment.order.success", merchantId: "m" }, [wants])).toEqual([
    wants,
  ]);
});
