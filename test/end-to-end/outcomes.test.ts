import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import sample from "../../infra/paycast.config.json" with { type: "json" };
import { scan } from "../integration/aws-stores.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import { eventsOf, readQueue, type StackUnderTest, startAsUser, until } from "./running-stack.ts";
import { openShop } from "./shop.ts";

let stack: StackUnderTest;
let shop: ReturnType<typeof openShop>;
let history: ReturnType<typeof readQueue>;
let dynamodb: DynamoDBClient;

beforeAll(async () => {
  const config = join(temporaryFolder("config"), "config.json");
  const added = { name: "loyalty-points", types: ["payment.order.success"] };
  writeFileSync(config, JSON.stringify({ ...sample, subscribers: [...sample.subscribers, added] }));
  stack = await startAsUser(["--config", config]);
  shop = openShop(stack.description);
  history = readQueue(
    stack.description,
    stack.description.queues.subscribers["order-history"]!.url,
  );
  const { aws, region } = stack.description;
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  dynamodb = new DynamoDBClient({ endpoint: aws.dynamodb, region, credentials });
});

afterAll(async () => {
  dynamodb?.destroy();
  await stack?.stop();
});

async function pay(orderNo: string) {
  const { body } = await shop.create(orderNo);
  await shop.act(body.paymentId, "pay");
  return body;
}

const paid = ["payment.order.confirming", "payment.order.success"];
/** Sorted: two callbacks may arrive the other way round. */
const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type).toSorted();

// First: a forged callback uses up the one look for newer keys that is allowed in a minute.
test("callbacks go on being accepted while the keys are rotated", async () => {
  await shop.control("POST", "/rotate", {});
  await pay("AFTER-ROTATION");
  expect(typesOf(await eventsOf(history, "AFTER-ROTATION", 2))).toEqual(paid);
});

test("a subscriber added to the config runs locally", async () => {
  const { description } = stack;
  await pay("POINTS-1");
  const queue = readQueue(description, description.queues.subscribers["loyalty-points"]!.url);
  const [event] = await eventsOf(queue, "POINTS-1", 1);
  expect(event?.type).toBe("payment.order.success");
});

test("an order that nobody pays times out", async () => {
  const { body } = await shop.create("NEVER-PAID");
  await shop.act(body.paymentId, "expire");
  await shop.untilStatus("NEVER-PAID", "timeout");
  expect(typesOf(await eventsOf(history, "NEVER-PAID", 1))).toEqual(["payment.order.timeout"]);
});

test.each(["A/B", "50% off", "注文-1", "🫖 #2&x=y"])(
  "an order may be asked for by a number like %s",
  async (orderNo) => {
    expect((await shop.create(orderNo)).status).toBe(201);
    const { status, order } = await shop.get(orderNo);
    expect(status).toBe(200);
    expect(order).toMatchObject({ orderNo, status: "pending" });
  },
);

test("a refund is reported with its order and in the payment's currency", async () => {
  const { paymentId } = await pay("REFUNDED");
  await eventsOf(history, "REFUNDED", 2);
  await shop.act(paymentId, "refund", { amount: "4.10" });
  const events = await eventsOf(history, "REFUNDED", 3);
  expect(events[2]).toMatchObject({
    type: "payment.refund.success",
    data: { amount: { value: "4.10", minor: "410", currency: "USD" }, flags: [] },
  });
  const { order } = await shop.get("REFUNDED");
  expect(order.refundedAmount).toMatchObject({ value: "4.10" });
});

test("a callback sent twice publishes one event", async () => {
  await shop.fault("send-twice", "TWICE");
  await pay("TWICE");
  await eventsOf(history, "TWICE", 2);
  await shop.control("GET", "/settled?timeoutSeconds=20");
  await pay("AFTER-TWICE");
  await eventsOf(history, "AFTER-TWICE", 2);
  expect(typesOf(await eventsOf(history, "TWICE", 2))).toEqual(paid);
});

test("callbacks out of order end in the same status", async () => {
  await shop.fault("out-of-order", "MIXED-UP");
  await pay("MIXED-UP");
  // Less than the minute after which the service lets go of what it holds back.
  await shop.step(30);
  const events = await eventsOf(history, "MIXED-UP", 2);
  expect(events.map(({ type }) => type)).toEqual(paid.toReversed());
  expect(events.at(-1)).toMatchObject({ data: { order: { status: "success" } } });
});

test("a lost callback is learned by asking, and published once", async () => {
  await shop.fault("lose", "LOST");
  await pay("LOST");
  await until("the query to tell", async () => {
    const { order } = await shop.get("LOST");
    return order.status === "success" ? true : undefined;
  });
  const event = await until("the event", async () => {
    const events = await eventsOf(history, "LOST", 1);
    return events.find(({ type }) => type === "payment.order.success");
  });
  expect(event.origin).toBe("query");
});

test("a delayed callback arrives when its time has come", async () => {
  await shop.fault("delay", "DELAYED", { seconds: 600 });
  await pay("DELAYED");
  await shop.step(700);
  expect(typesOf(await eventsOf(history, "DELAYED", 2))).toEqual(paid);
});

test.each(["wrong-key", "tampered-body", "wrong-merchant", "old-timestamp"])(
  "a callback spoiled by %s is refused, and its genuine retry is taken",
  async (kind) => {
    await shop.fault(kind, `SPOILED-${kind}`);
    const { paymentId } = await pay(`SPOILED-${kind}`);
    const refused = await until("a refusal", async () => {
      const { callbacks } = await shop.control("GET", `/orders/${paymentId}`);
      return callbacks
        .flatMap((callback: { attempts: { httpStatus: number }[] }) => callback.attempts)
        .find(({ httpStatus }: { httpStatus: number }) => httpStatus === 401);
    });
    expect(refused.httpStatus).toBe(401);
    const events = await until("the retries", async () => {
      await shop.step(3600);
      await shop.control("GET", "/settled?timeoutSeconds=5");
      const own = (await history.take())
        .map((body) => JSON.parse(body))
        .filter(({ subject }) => subject === `SPOILED-${kind}`);
      return own.length >= 2 ? own : undefined;
    });
    expect(typesOf(events)).toEqual(paid);
  },
);

test.each([
  ["unknown-event", "event-unknown"],
  ["malformed-result", "result-unreadable"],
])("an authentic callback with %s is acknowledged and quarantined", async (kind, reason) => {
  await shop.fault(kind, `ODD-${kind}`);
  const { paymentId } = await pay(`ODD-${kind}`);
  const callback = await until("the callback to be acknowledged", async () => {
    const { callbacks } = await shop.control("GET", `/orders/${paymentId}`);
    return callbacks[0]?.attempts[0]?.httpStatus === 200 ? callbacks[0] : undefined;
  });
  const record = await until("the record", async () => {
    const records = await scan(dynamodb, stack.description.tables.callbacks);
    return records.find(({ callbackId }) => callbackId === callback.id);
  });
  expect(record).toMatchObject({ outcome: "quarantined", reason });
});

test("another amount than was ordered is flagged", async () => {
  await shop.fault("wrong-amount", "WRONG-AMOUNT");
  await pay("WRONG-AMOUNT");
  const events = await eventsOf(history, "WRONG-AMOUNT", 2);
  const success = events.find(({ type }) => type === "payment.order.success");
  expect(success?.data.flags).toContain("mismatch");
});

test("a refused order is answered with the service's own words, and its number is free again", async () => {
  const fault = await shop.fault("refuse-creates", "REFUSED", { code: 50007, msg: "not today" });
  const refused = await shop.create("REFUSED");
  expect(refused.status).toBe(502);
  expect(refused.body.service).toEqual({ code: "50007", msg: "not today" });
  await shop.control("DELETE", `/faults/${fault.id}`);
  // For a few seconds the same order gets the same refusal without a call (test/storefront checks how long).
  await until("the number is free", async () => {
    return (await shop.create("REFUSED")).status === 201 ? true : undefined;
  });
});

test("an answer that is lost is 504, and the repeat gets the payment", async () => {
  await shop.fault("reset-connections", "RESET", { operation: "create", when: "after", times: 1 });
  expect((await shop.create("RESET")).status).toBe(504);
  expect((await shop.create("RESET")).status).toBe(201);
});
