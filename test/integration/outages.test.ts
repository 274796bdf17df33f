import { randomUUID } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { queuedPayment, queuedRefund } from "./callbacks.ts";
import { type AwsError, type Fault, to } from "./fault-proxy.ts";
import { deliverPending, eventsOf, logOf, process, quarantined, records } from "./flow.ts";
import type { Instance } from "./instance.ts";
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
  ["throttles", { kind: "refuse", error: dynamodbError("ProvisionedThroughputExceededException") }],
  ["throttles requests", { kind: "refuse", error: dynamodbError("ThrottlingException") }],
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
      // The event is sent and cannot be marked: the repeat is told apart by the queue.
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

  test.each([
    ["another transaction touches the order", cancelled("None", "TransactionConflict")],
    ["another transaction touches the record", cancelled("TransactionConflict", "None")],
    ["the order has moved on", cancelled("None", "ConditionalCheckFailed")],
  ])("says that %s, the work is tried again at once", async (_name, error) => {
    const before = processor.faults.calls.filter(to("dynamodb", "GetItem")).length;
    processor.faults.fail(
      to("dynamodb", "TransactWriteItems"),
      { kind: "refuse", error },
      { times: 2 },
    );
    expect(await process(processor, newPayment())).toEqual([]);
    expect(processor.faults.calls.filter(to("dynamodb", "GetItem")).slice(before)).toHaveLength(3);
    expect(await eventsOf(world, "books")).toHaveLength(1);
  });

  test.each([
    ["throttles inside a transaction", cancelled("ThrottlingError", "None")],
    ["is at its limit inside a transaction", cancelled("None", "ProvisionedThroughputExceeded")],
    ["cannot say why it cancelled", dynamodbError("TransactionCanceledException")],
    ["never lets the order rest", cancelled("None", "ConditionalCheckFailed")],
  ])("%s, the message stays in the inbox and is not set aside", async (_name, error) => {
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
  test("is down, messages are done, and deliver-pending brings everything when it is back", async () => {
    const subscribers = [{ name: "books" }, { name: "loose", ordered: false }];
    const world = await makeWorld({ subscribers });
    const processor = await world.start("process-callback");
    processor.faults.fail(to("sqs"), { kind: "cut" });
    const statuses = ["confirming", "failed", "success"];
    const batch = statuses.map((status) => queuedPayment(world, { status }));
    expect(await process(processor, ...batch)).toEqual([]);
    const deliverer = await world.start("deliver-pending");
    deliverer.faults.fail(to("sqs"), { kind: "cut" });
    await deliverPending(world, deliverer);
    deliverer.faults.heal();
    await deliverPending(world, deliverer);
    for (const { name } of subscribers) {
      const events = await eventsOf(world, name);
      expect(events.map(({ data }) => data.status)).toEqual(statuses);
    }
  });

  test("is slow, events are sent once", async () => {
    const before = processor.faults.calls.filter(to("sqs")).length;
    processor.faults.fail(to("sqs"), { kind: "slow", milliseconds: 300 });
    expect(await process(processor, newPayment())).toEqual([]);
    expect(processor.faults.calls.filter(to("sqs")).slice(before)).toHaveLength(1);
    expect(await eventsOf(world, "books")).toHaveLength(1);
  });
});

describe("deliver-pending", () => {
  test("that cannot write leaves what it has sent pending; the next run's repeat is the same event", async () => {
    const world = await makeWorld({ subscribers: [{ name: "loose", ordered: false }] });
    const processor = await world.start("process-callback");
    processor.faults.fail(to("sqs"), { kind: "cut" });
    await process(processor, queuedPayment(world));
    const deliverer = await world.start("deliver-pending");
    const error = dynamodbError("InternalServerError", 500);
    deliverer.faults.fail(to("dynamodb", "TransactWriteItems"), { kind: "refuse", error });
    await deliverPending(world, deliverer);
    expect(logOf(deliverer)).toContainEqual(expect.objectContaining({ outcome: "failed" }));
    deliverer.faults.heal();
    await deliverPending(world, deliverer);
    const events = await eventsOf(world, "loose");
    expect(events).toHaveLength(2);
    expect(events[0]).toEqual(events[1]);
    expect(await records(world)).not.toContainEqual(
      expect.objectContaining({ deferred: "deferred" }),
    );
  });

  test("that cannot read one record goes on with the other orders", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    processor.faults.fail(to("sqs"), { kind: "cut" });
    const numbers = ["A", "B", "C"];
    for (const referOrderNo of numbers) {
      await process(processor, queuedPayment(world, { referOrderNo }));
    }
    const deliverer = await world.start("deliver-pending");
    const error = dynamodbError("InternalServerError", 500);
    const isOrderA = to("dynamodb", "GetItem");
    deliverer.faults.fail(
      (call) => isOrderA(call) && JSON.stringify(call.input).includes("#order#A"),
      { kind: "refuse", error },
    );
    await deliverPending(world, deliverer);
    expect((await eventsOf(world, "books")).map(({ subject }) => subject).sort()).toEqual([
      "B",
      "C",
    ]);
    deliverer.faults.heal();
    await deliverPending(world, deliverer);
    expect((await eventsOf(world, "books")).map(({ subject }) => subject)).toEqual(["A"]);
  });
});
