import { afterEach, beforeAll, expect, test } from "vitest";
import { type Consumers, createConsumers } from "../../local/lab/consumers.ts";
import { testEvent } from "../../shared/consumer/test-events.ts";
import { useSqs } from "./aws/sqs/queues.ts";

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
  // What fails is given back after a second, and nobody else moves this clock.
  await expect.poll(queue.counts).toEqual([0, 1]);
  await consumers.set("team", queue.url, { mode: "fails" });
  await queue.send(success);
  await expect.poll(queue.counts).toEqual([0, 2]);
  await consumers.set("team", queue.url, { mode: "reads" });
  sqs.advance(1);
  await expect.poll(queue.counts).toEqual([0, 0]);
});
