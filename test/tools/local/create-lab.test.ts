import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeAll, expect, test } from "vitest";
import { testEvent } from "../../../shared/consumer/test-events.ts";
import { type Consumers, createConsumers } from "../../../tools/local/lab/consumers.ts";
import { createLab, watchQueues } from "../../../tools/local/lab/create-lab.ts";
import { createOutages } from "../../../tools/local/permissions/outages.ts";
import { descriptionSchema } from "../../../tools/operations/local-stack/local-description.ts";
import { useSqs } from "./aws/sqs/queues.ts";

const nowhere = "http://127.0.0.1:1";
const queue = (name: string) => ({ url: `${nowhere}/0/${name}`, deadLetters: `${nowhere}/0/dead` });
const description = descriptionSchema.parse({
  api: "",
  gateway: "",
  console: "",
  shop: "",
  region: "",
  tables: { callbacks: "", orders: "" },
  aws: { sqs: "", dynamodb: "", secretsmanager: "" },
  queues: {
    inbox: "",
    inboxDeadLetters: "",
    subscribers: { fulfilment: queue("fulfilment.fifo"), analytics: queue("analytics") },
  },
  merchants: [],
  functions: {},
});

function labOf(isRunning: boolean) {
  const lines: string[] = [];
  const lab = createLab({
    outages: createOutages(),
    dynamodb: new DynamoDBClient({}),
    schedules: [],
    consumers: createConsumers(new SQSClient({}), () => {}),
    aheadMilliseconds: () => 0,
    jump: async () => {},
    watch: watchQueues(
      () => description.queues,
      Date.now,
      (line) => lines.push(line),
    ),
    description: () => (isRunning ? description : undefined),
    readingChanged: () => {},
    tell: (line) => lines.push(line),
  });
  return { lab, lines };
}

test("each switch is reported once, and the breakage names what is broken", () => {
  const { lab, lines } = labOf(true);
  expect(lab.breakage()).toEqual({ outages: [], brokenSubscribers: [] });
  for (const isOn of [true, true, false, false]) {
    lab.setOutage("sqs", isOn);
    lab.setOutage("dynamodb", isOn);
    lab.setBroken("analytics", isOn);
    const expected = isOn ? { outages: ["sqs", "dynamodb"], brokenSubscribers: ["analytics"] } : {};
    expect(lab.breakage()).toMatchObject(expected);
  }
  expect(lab.breakage()).toEqual({ outages: [], brokenSubscribers: [] });
  expect(lines).toEqual([
    "SQS is unavailable: it rejects the functions' calls",
    "DynamoDB is unavailable: it rejects the functions' calls",
    "the queue of analytics rejects every event",
    "SQS is available again",
    "DynamoDB is available again",
    "the queue of analytics accepts events again",
  ]);
});

test("a subscriber that is not there cannot be broken", () => {
  const { lab, lines } = labOf(true);
  lab.setBroken("nobody", true);
  expect(lab.breakage().brokenSubscribers).toEqual([]);
  expect(lines).toEqual([]);
});

test.each([
  ["fulfilment.fifo", "fulfilment"],
  ["analytics", "analytics"],
  ["inbox.fifo", "inbox"],
])("a dead letter of %s is one of %s", (queueName, owner) => {
  const lines: string[] = [];
  const watch = watchQueues(
    () => description.queues,
    Date.now,
    (line) => lines.push(line),
  );
  watch.buried(queueName, "{}");
  expect(lines).toEqual([
    `new dead letter of ${owner}: a message → npx paycast dead-letters list ${owner}`,
  ]);
});

test("before the stack runs there is nothing to break or to reconcile", async () => {
  const { lab } = labOf(false);
  lab.setBroken("analytics", true);
  expect(lab.breakage().brokenSubscribers).toEqual([]);
  await lab.reconcileNow();
});

const sqs = useSqs();
let consumers: Consumers;
beforeAll(() => {
  consumers = createConsumers(sqs.client(), () => {});
});
const success = JSON.stringify(testEvent("payment.order.success"));
const failed = JSON.stringify(testEvent("payment.order.failed"));
afterEach(() => consumers.stop());

test("it reads until it is switched off or the stack ends", async () => {
  const queue = await sqs.standard();
  expect(consumers.all()).toEqual({});
  await consumers.set("team", queue.url, { mode: "reads" });
  expect(consumers.all()).toEqual({ team: { mode: "reads" } });
  await queue.send(success);
  await expect.poll(queue.counts).toEqual([0, 0]);
  await consumers.set("team", queue.url, { mode: "nobody" });
  expect(consumers.all()).toEqual({});
  await queue.send(success);
  expect(await queue.counts()).toEqual([1, 0]);
  await consumers.set("team", queue.url, { mode: "reads" });
  await expect.poll(queue.counts).toEqual([0, 0]);
  await consumers.stop();
  await queue.send(success);
  expect(await queue.counts()).toEqual([1, 0]);
});

test("it fails on one type, and goes on with another mode without a pause", async () => {
  const queue = await sqs.standard();
  const type = "payment.order.failed";
  await consumers.set("team", queue.url, { mode: "fails-on-type", type });
  await queue.send(success);
  await queue.send(failed);
  // What fails is returned after a second, and nobody else moves this clock.
  await expect.poll(queue.counts).toEqual([0, 1]);
  await consumers.set("team", queue.url, { mode: "fails" });
  await queue.send(success);
  await expect.poll(queue.counts).toEqual([0, 2]);
  await consumers.set("team", queue.url, { mode: "reads" });
  sqs.advance(1);
  await expect.poll(queue.counts).toEqual([0, 0]);
});
