import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gate, startGate } from "../../local/aws/gate.ts";
import { createConsumers } from "../../local/lab/consumers.ts";
import { createLab } from "../../local/lab/create-lab.ts";
import { watchQueues } from "../../local/lab/watch-queues.ts";
import { descriptionSchema } from "../../operations/target/local-description.ts";

const nowhere = "http://127.0.0.1:1";
const queue = (name: string) => ({ url: `${nowhere}/0/${name}`, deadLetters: `${nowhere}/0/dead` });
const description = descriptionSchema.parse({
  ...{
    api: "",
    gateway: "",
    console: "",
    shop: "",
    region: "",
    tables: { callbacks: "", orders: "" },
  },
  aws: { sqs: "", dynamodb: "", secretsmanager: "" },
  queues: {
    ...{ inbox: "", inboxDeadLetters: "" },
    subscribers: { fulfilment: queue("fulfilment.fifo"), analytics: queue("analytics") },
  },
  ...{ merchants: [], functions: {} },
});

let gate: Gate;
beforeAll(async () => {
  gate = await startGate({ sqs: nowhere, dynamodb: nowhere });
});
afterAll(() => gate.stop());

function labOf(isRunning: boolean) {
  const told: string[] = [];
  const lab = createLab({
    ...{ gate, dynamodb: new DynamoDBClient({}), schedules: [] },
    consumers: createConsumers(new SQSClient({}), () => {}),
    watch: watchQueues(
      () => description.queues,
      (line) => told.push(line),
    ),
    description: () => (isRunning ? description : undefined),
    tell: (line) => told.push(line),
  });
  return { lab, told };
}

test("each switch is told once, and the breakage names what is broken", () => {
  const { lab, told } = labOf(true);
  expect(lab.breakage()).toEqual({ outages: [], brokenSubscribers: [] });
  for (const isOn of [true, true, false, false]) {
    lab.setOutage("sqs", isOn);
    lab.setOutage("dynamodb", isOn);
    lab.setBroken("analytics", isOn);
    const expected = isOn ? { outages: ["sqs", "dynamodb"], brokenSubscribers: ["analytics"] } : {};
    expect(lab.breakage()).toMatchObject(expected);
  }
  expect(lab.breakage()).toEqual({ outages: [], brokenSubscribers: [] });
  expect(told).toEqual([
    "SQS is out: it refuses the functions",
    "DynamoDB is out: it refuses the functions",
    "the queue of analytics is broken: it refuses every event",
    "SQS is back",
    "DynamoDB is back",
    "the queue of analytics is restored",
  ]);
});

test("a subscriber that is not there cannot be broken", () => {
  const { lab, told } = labOf(true);
  lab.setBroken("nobody", true);
  expect(lab.breakage().brokenSubscribers).toEqual([]);
  expect(told).toEqual([]);
});

test("before the stack runs there is nothing to break or to reconcile", async () => {
  const { lab } = labOf(false);
  lab.setBroken("analytics", true);
  expect(lab.breakage().brokenSubscribers).toEqual([]);
  await lab.reconcileNow();
});
