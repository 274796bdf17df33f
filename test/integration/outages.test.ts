import { randomUUID } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { receive } from "./aws-stores.ts";
import { paymentCallback, queuedPayment, queuedRefund } from "./callbacks.ts";
import { type AwsError, type Fault, to } from "./fault-proxy.ts";
import { eventsOf, logOf, post, process, pump, quarantined, records, waitUntil } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { toQueued } from "./lambda-events.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
let world: World;
let processor: Instance;
beforeAll(async () => {
  world = await makeWorld();
  processor = await world.start("process-callback");
});
afterEach(() => processor.faults.heal());

/** A payment of an order that no other test knows. */
const newPayment = () => queuedPayment(world, { referOrderNo: randomUUID() });

const dynamodbError = (name: string, status = 400, fields = {}): AwsError => ({
  type: `com.amazonaws.dynamodb.v20120810#${name}`,
  status,
  fields,
});
const cancelled = (...codes: string[]) =>
  dynamodbError("TransactionCanceledException", 400, {
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

const troubles: [name: string, fault: Fault][] = [
  ["fails", { kind: "refuse", error: dynamodbError("InternalServerError", 500) }],
  ["finds us invalid", { kind: "refuse", error: dynamodbError("ValidationException") }],
  ["denies access", { kind: "refuse", error: dynamodbError("AccessDeniedException") }],
  ["has no such table", { kind: "refuse", error: dynamodbError("ResourceNotFoundException") }],
  ["cuts the connection", { kind: "cut" }],
];

describe("while DynamoDB", () => {
  test.each(troubles)(
    "%s, the message stays in the inbox and nothing is published",
    async (_name, fault) => {
      const message = newPayment();
      for (const operation of ["GetItem", "TransactWriteItems"]) {
        processor.faults.fail(to("dynamodb", operation), fault);
        expect(await process(processor, message)).toEqual([message.messageId]);
        expect(logOf(processor).at(-1)).toMatchObject({ outcome: "failed", Failed: 1 });
        processor.faults.heal();
      }
      expect(await eventsOf(world, "books")).toEqual([]);
      // The event is sent and cannot be marked: the repeat is distinguished by the queue.
      processor.faults.fail(to("dynamodb", "UpdateItem"), fault);
      expect(await process(processor, message)).toEqual([message.messageId]);
      processor.faults.heal();
      expect(await process(processor, message)).toEqual([]);
      expect(await eventsOf(world, "books")).toHaveLength(1);
      expect(await quarantined(world)).toEqual([]);
    },
  );

  test("does not answer, the message stays in the inbox", async () => {
    processor.faults.fail(to("dynamodb", "TransactWriteItems"), { kind: "stall" }, { times: 3 });
    const message = newPayment();
    expect(await process(processor, message)).toEqual([message.messageId]);
    expect(await process(processor, message)).toEqual([]);
    expect(await eventsOf(world, "books")).toHaveLength(1);
  });

  test("stores the repeat of a fact and loses its answer, the repeat is not taken for a callback of before", async () => {
    const result = { referOrderNo: randomUUID(), transactionId: "T1" };
    await process(processor, queuedPayment(world, result));
    await eventsOf(world, "books");
    processor.faults.fail(to("dynamodb", "PutItem"), { kind: "lose-answer" }, { times: 1 });
    expect(await process(processor, queuedPayment(world, result))).toEqual([]);
    expect(logOf(processor).at(-1)).toMatchObject({ outcome: "known-fact", KnownFact: 1 });
  });

  test("says that the order has moved on, it is read again at once", async () => {
    const error = cancelled("None", "ConditionalCheckFailed");
    const transactions = to("dynamodb", "TransactWriteItems");
    const before = processor.faults.calls.filter(to("dynamodb", "GetItem")).length;
    processor.faults.fail(transactions, { kind: "refuse", error }, { times: 2 });
    expect(await process(processor, newPayment())).toEqual([]);
    expect(processor.faults.calls.filter(to("dynamodb", "GetItem")).slice(before)).toHaveLength(3);
    expect(await eventsOf(world, "books")).toHaveLength(1);
  });

  test.each([
    ["another transaction touches the order", cancelled("None", "TransactionConflict")],
    ["another transaction touches the record", cancelled("TransactionConflict", "None")],
    ["the record's partition is throttled", cancelled("ThrottlingError", "None")],
    ["the order's partition is at its limit", cancelled("None", "ProvisionedThroughputExceeded")],
    ["it is throttled", dynamodbError("ThrottlingException")],
    ["the table is at its limit", dynamodbError("ProvisionedThroughputExceededException")],
  ])(
    "says that %s, the same transaction is tried again inside the function's time",
    async (_name, error) => {
      const transactions = to("dynamodb", "TransactWriteItems");
      processor.faults.fail(transactions, { kind: "refuse", error }, { times: 5 });
      expect(await process(processor, newPayment())).toEqual([]);
      expect(await eventsOf(world, "books")).toHaveLength(1);
    },
  );

  test.each([
    ["throttles inside a transaction and does not stop", cancelled("ThrottlingError", "None")],
    ["cannot say why it cancelled", dynamodbError("TransactionCanceledException")],
    ["never lets the order rest", cancelled("None", "ConditionalCheckFailed")],
  ])("%s, the message is returned to the inbox and not set aside", async (_name, error) => {
    processor.faults.fail(to("dynamodb", "TransactWriteItems"), { kind: "refuse", error });
    const message = newPayment();
    expect(await process(processor, message)).toEqual([message.messageId]);
    expect(await quarantined(world)).toEqual([]);
    processor.faults.heal();
    expect(await process(processor, message)).toEqual([]);
    expect(await eventsOf(world, "books")).toHaveLength(1);
  });

  test("is slow, all is published all the same, once", async () => {
    processor.faults.fail(to("dynamodb"), { kind: "slow", milliseconds: 300 });
    expect(await process(processor, newPayment(), queuedRefund(world))).toEqual([]);
    expect(await eventsOf(world, "books")).toHaveLength(2);
  });
});

describe("while SQS", () => {
  test("is down, messages are returned to the inbox, and all is sent in order when it is back", async () => {
    const subscribers = [{ name: "books" }, { name: "loose", ordered: false }];
    const world = await makeWorld({ subscribers });
    const processor = await world.start("process-callback");
    const statuses = ["confirming", "failed", "success"];
    const batch = statuses.map((status) => queuedPayment(world, { status }));
    processor.faults.fail(to("sqs"), { kind: "cut" });
    expect(await process(processor, ...batch)).toHaveLength(3);
    processor.faults.heal();
    expect(await process(processor, ...batch)).toEqual([]);
    for (const { name } of subscribers) {
      const events = await eventsOf(world, name);
      expect(events.map(({ data }) => data.status)).toEqual(statuses);
    }
  });

  test("is slow, events arrive once, also if the call is given up and repeated", async () => {
    const before = processor.faults.calls.filter(to("sqs")).length;
    processor.faults.fail(to("sqs"), { kind: "slow", milliseconds: 300 }, { times: 1 });
    expect(await process(processor, newPayment())).toEqual([]);
    // On a busy machine the slow call may take longer than its limit. SQS drops the repeat by its id.
    const sent = processor.faults.calls.filter(to("sqs")).slice(before);
    expect(new Set(sent.map(({ input }) => input["MessageDeduplicationId"])).size).toBe(1);
    expect(await eventsOf(world, "books")).toHaveLength(1);
  });
});

describe("a message that is returned to the inbox", () => {
  /** What the functions ask of a message's visibility, in seconds. */
  const visibilitiesOf = (instance: Instance) =>
    instance.faults.calls.filter(to("sqs", "ChangeMessageVisibilityBatch")).map(({ input }) => {
      const entries = input["Entries"] as { Id: string; VisibilityTimeout: number }[];
      return entries.map(({ VisibilityTimeout }) => VisibilityTimeout);
    });

  const keptIn = ({ lines }: Instance) =>
    lines.map((line) => JSON.parse(line)).filter(({ outcome }) => outcome === "visibility-kept");

  test("is logged before the answer, if it stays hidden for the queue's whole timeout", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const error = { status: 403, type: "AccessDenied" };
    processor.faults.fail(to("dynamodb"), { kind: "cut" });
    processor.faults.fail(to("sqs"), { kind: "refuse", error });
    const message = queuedPayment(world);
    expect(await process(processor, message)).toEqual([message.messageId]);
    const kept = { service: "process-callback", stage: "inbox", reason: "visibility-unchanged" };
    expect(keptIn(processor)).toMatchObject([{ ...kept, VisibilityKept: 1 }]);
  });

  test("is seen again after seconds, growing, with every later message of its group", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const error = dynamodbError("InternalServerError", 500);
    processor.faults.fail(to("dynamodb", "GetItem"), { kind: "refuse", error });
    const batch = ["confirming", "success"].map((status) => queuedPayment(world, { status }));
    for (const receiveCount of [1, 3, 9]) {
      await process(processor, ...batch.map((message) => ({ ...message, receiveCount })));
    }
    const [first, third, ninth] = visibilitiesOf(processor);
    for (const seconds of [first, third, ninth]) {
      expect(seconds).toHaveLength(2);
      expect(new Set(seconds).size).toBe(1);
    }
    expect(first![0]).toBeLessThanOrEqual(2);
    expect(third![0]).toBeGreaterThan(first![0]!);
    expect(ninth![0]).toBeGreaterThanOrEqual(45);
    expect(ninth![0]).toBeLessThanOrEqual(60);
  });

  test("tells how long it has waited, in a metric", async () => {
    const error = dynamodbError("InternalServerError", 500);
    processor.faults.fail(to("dynamodb", "GetItem"), { kind: "refuse", error });
    const sentAtMilliseconds = Date.now() - 600_000;
    await process(processor, { ...newPayment(), sentAtMilliseconds });
    const line = logOf(processor).at(-1)!;
    expect(line).toMatchObject({ outcome: "failed", GivenBack: 1, Failed: 1 });
    expect(line["WaitingSeconds"]).toBeGreaterThanOrEqual(600);
    expect(line["WaitingSeconds"]).toBeLessThan(660);
  });

  test("comes back from the queue itself after those seconds, and in order", async () => {
    const world = await makeWorld();
    const receiver = await world.start("receive-callback");
    const processor = await world.start("process-callback");
    for (const status of ["confirming", "success"]) {
      expect((await post(receiver, paymentCallback(world, { status }))).statusCode).toBe(200);
    }
    processor.faults.fail(to("dynamodb"), { kind: "cut" });
    const batch = await receive(world.sqs, world.inboxUrl);
    const startedAt = performance.now();
    expect(await process(processor, ...batch.map(toQueued))).toEqual(
      batch.map(({ MessageId }) => MessageId),
    );
    processor.faults.heal();
    await waitUntil(async () => {
      await pump(world, processor);
      return (await records(world)).length === 2;
    });
    const [[seconds = 0] = []] = visibilitiesOf(processor);
    expect(seconds).toBeGreaterThan(0);
    expect(keptIn(processor)).toEqual([]);
    // The queue's clock and this one may differ by some milliseconds.
    expect(performance.now() - startedAt).toBeGreaterThan(seconds * 1000 - 50);
    const events = await eventsOf(world, "books");
    expect(events.map(({ data }) => data.status)).toEqual(["confirming", "success"]);
  });
});
