import { randomUUID } from "node:crypto";
import { DeleteItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { beforeAll, describe, expect, test } from "vitest";
import { writeRedrive } from "../../shared/inbox/inbox-body.ts";
import { toAttributes } from "../../shared/table/attributes.ts";
import { putItem, scan } from "./aws-stores.ts";
import { queuedPayment, queuedRefund } from "./callbacks.ts";
import { deadLetters, eventsOf, logOf, orderItem, paymentItem, process, records } from "./flow.ts";
import type { Instance } from "./instance.ts";
import type { Queued } from "./lambda-events.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
let world: World;
let processor: Instance;
beforeAll(async () => {
  world = await makeWorld();
  processor = await world.start("process-callback");
});

async function recordOf({ body }: Queued) {
  const found = (await records(world)).find(({ message }) => message === body);
  if (found === undefined) throw new Error("no such record");
  const { callbackKey, receipt, group } = found;
  const key = { callbackKey: String(callbackKey), receipt: String(receipt) };
  return { key, group: String(group) };
}

/** The message with which an operator names a record. */
async function redriveOf(message: Queued): Promise<Queued> {
  const { key, group } = await recordOf(message);
  return { messageId: randomUUID(), group, body: writeRedrive(key), isWhole: true };
}

/** A message whose callback is published, and whose events are taken. */
async function finished(orderNo = randomUUID()): Promise<Queued> {
  const message = queuedPayment(world, { referOrderNo: orderNo });
  await process(processor, message);
  expect(await eventsOf(world, "books")).toHaveLength(1);
  return message;
}

test("a record that this version cannot read does not hold its group up", async () => {
  const message = await finished();
  const redrive = await redriveOf(message);
  const { key } = await recordOf(message);
  await world.dynamodb.send(
    new UpdateItemCommand({
      TableName: world.tables.callbacks,
      Key: toAttributes(key),
      UpdateExpression: "SET outcome = :newer",
      ExpressionAttributeValues: toAttributes({ ":newer": "of-a-newer-version" }),
    }),
  );
  expect(await process(processor, redrive)).toEqual([]);
  const { body } = redrive;
  expect(await deadLetters(world)).toContainEqual(
    expect.objectContaining({ body, reason: "record-unreadable" }),
  );
});

/** The orders table as it was before, as after a restore to an earlier time. */
async function restore(items: readonly Record<string, unknown>[]) {
  const TableName = world.tables.orders;
  for (const { aggregateKey } of await scan(world.dynamodb, TableName)) {
    const Key = toAttributes({ aggregateKey });
    await world.dynamodb.send(new DeleteItemCommand({ TableName, Key }));
  }
  for (const item of items) await putItem(world.dynamodb, TableName, item);
}

describe("after the orders table was restored to an earlier time", () => {
  const orderNo = "RESTORED";
  const paymentId = "P-RESTORED";
  const callbackWith = (status: string) => queuedPayment(world, { referOrderNo: orderNo, status });
  const refund = (refundId: string) => queuedRefund(world, { paymentId, refundId });

  test.each(["a repeat", "a redrive"])(
    "%s of each record brings facts, status and sequence back, and publishes nothing",
    async (way) => {
      const messages = [
        callbackWith("confirming"),
        refund("R-1"),
        callbackWith("failed"),
        refund("R-2"),
      ];
      await process(processor, messages[0]!, messages[1]!);
      const early = await scan(world.dynamodb, world.tables.orders);
      await process(processor, ...messages.slice(2));
      const success = queuedPayment(world, { referOrderNo: orderNo });
      await process(processor, success);
      await eventsOf(world, "books");
      const seen = [...messages, success];
      const whole = [await orderItem(world, orderNo), await paymentItem(world, paymentId)];
      await restore(early);
      expect(await orderItem(world, orderNo)).toMatchObject({ status: "confirming", sequence: 1 });
      for (const message of seen) {
        await process(processor, way === "a repeat" ? message : await redriveOf(message));
      }
      const back = [await orderItem(world, orderNo), await paymentItem(world, paymentId)];
      for (const [index, { revision: _revision, ...aggregate }] of whole
        .map((candidate) => candidate!)
        .entries()) {
        expect(back[index]).toMatchObject(aggregate);
      }
      expect(await eventsOf(world, "books")).toEqual([]);
      const outcomes = logOf(processor)
        .slice(-5)
        .map(({ outcome }) => outcome);
      expect(outcomes).toEqual(["duplicate", "duplicate", "restored", "restored", "restored"]);
      await restore([]);
    },
  );

  test("the next event goes on after the last sequence that consumers have", async () => {
    const first = queuedPayment(world, { referOrderNo: "NEXT", status: "confirming" });
    const second = queuedPayment(world, { referOrderNo: "NEXT", status: "failed" });
    await process(processor, first, second);
    await restore([]);
    await process(processor, await redriveOf(second));
    await eventsOf(world, "books");
    await process(processor, queuedPayment(world, { referOrderNo: "NEXT" }));
    const [event] = await eventsOf(world, "books");
    expect(event).toMatchObject({ sequence: "0000000003" });
  });
});
