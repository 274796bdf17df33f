import { DeleteItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { toAttribute, toAttributes } from "../../shared/table/attributes.ts";
import { queuedPayment } from "./callbacks.ts";
import { sendTo, to } from "./fault-proxy.ts";
import { eventsOf, logOf, process, records } from "./flow.ts";
import type { Instance } from "./instance.ts";
import type { Queued } from "./lambda-events.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
const minute = 60_000;
const closed = { kind: "refuse", error: { status: 403, type: "AccessDenied" } } as const;

async function twoSubscribers() {
  const world = await makeWorld({ subscribers: [{ name: "books" }, { name: "stock" }] });
  const processor = await world.start("process-callback");
  const close = (instance: Instance) => {
    const { queueUrl } = world.subscribers.find(({ name }) => name === "stock")!;
    instance.faults.fail(sendTo(queueUrl), closed);
  };
  return { world, processor, close };
}

const onlyRecord = async (world: World) => (await records(world))[0]!;

/** Earlier ones never give an event up. */
const fifthReceive = (message: Queued): Queued => ({ ...message, receiveCount: 5 });

describe("a record whose event a subscriber's queue refuses", () => {
  test("says who waits, why and since when, until the event is delivered", async () => {
    const { world, processor, close } = await twoSubscribers();
    close(processor);
    const message = queuedPayment(world);
    await process(processor, message);
    const waiting = await onlyRecord(world);
    expect(waiting).toMatchObject({
      attention: {
        kind: "waiting",
        subscribers: { stock: "AccessDenied" },
        orderNo: "ORDER-2026-000042",
      },
      attentionShard: expect.stringMatching(/^waiting#[0-7]$/),
      pending: ["stock"],
    });
    processor.advance(minute);
    await process(processor, message);
    expect(await onlyRecord(world)).toEqual(waiting);
    processor.faults.heal();
    expect(await process(processor, message)).toEqual([]);
    const delivered = await onlyRecord(world);
    expect(delivered).not.toHaveProperty("attention");
    expect(delivered).not.toHaveProperty("attentionShard");
    expect(delivered).toHaveProperty("expiresAt");
  });

  test("says that it was given up, in the same shard, from then on", async () => {
    const { world, processor, close } = await twoSubscribers();
    close(processor);
    const message = { ...queuedPayment(world), sentAtMilliseconds: processor.now() };
    await process(processor, message);
    const waiting = await onlyRecord(world);
    processor.advance(6 * minute);
    expect(await process(processor, fifthReceive(message))).toEqual([]);
    const givenUp = await onlyRecord(world);
    expect(givenUp["attention"]).toMatchObject({ kind: "undeliverable" });
    const shardOf = ({ attentionShard }: Record<string, unknown>) =>
      String(attentionShard).split("#")[1];
    expect(shardOf(givenUp)).toBe(shardOf(waiting));
    expect(String(givenUp["attentionSince"]) > String(waiting["attentionSince"])).toBe(true);
  });

  test("is not marked as waiting by an instance that is late, after another one delivered", async () => {
    const { world, processor: late, close } = await twoSubscribers();
    close(late);
    const message = queuedPayment(world);
    const quick = await world.start("process-callback");
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    late.faults.fail(to("dynamodb", "UpdateItem"), { kind: "hold", until });
    const outcome = process(late, message);
    await expect.poll(() => late.faults.calls.some(to("dynamodb", "UpdateItem"))).toBe(true);
    expect(await process(quick, message)).toEqual([]);
    release();
    expect(await outcome).toEqual([message.messageId]);
    expect(await onlyRecord(world)).not.toHaveProperty("attention");
    late.faults.heal();
    expect(await process(late, message)).toEqual([]);
    expect(await eventsOf(world, "stock")).toHaveLength(1);
  });

  test.each(["before", "after"])(
    "is given up by the next try if the instance dies %s it is noted",
    async (moment) => {
      const { world, processor, close } = await twoSubscribers();
      const message = { ...queuedPayment(world), sentAtMilliseconds: processor.now() };
      close(processor);
      const dies = moment === "before" ? "die-before" : "die-after";
      processor.faults.fail(to("dynamodb", "UpdateItem"), { kind: dies });
      expect(await process(processor, message).catch(() => "died")).toBe("died");
      const next = await world.start("process-callback");
      close(next);
      next.advance(6 * minute);
      expect(await process(next, fifthReceive(message))).toEqual([]);
      expect((await onlyRecord(world))["attention"]).toMatchObject({ kind: "undeliverable" });
      expect(await eventsOf(world, "books")).toHaveLength(1);
    },
  );

  test("and whose matter is settled already loses its attention with the next look", async () => {
    const { world, processor } = await twoSubscribers();
    const message = queuedPayment(world);
    await process(processor, message);
    const { callbackKey, receipt } = await onlyRecord(world);
    await world.dynamodb.send(
      new UpdateItemCommand({
        TableName: world.tables.callbacks,
        Key: toAttributes({ callbackKey, receipt }),
        UpdateExpression: "SET attention = :a, attentionShard = :s, attentionSince = :t",
        ExpressionAttributeValues: {
          ":a": toAttribute({ kind: "waiting", subscribers: { stock: "No" } }),
          ":s": { S: "waiting#0" },
          ":t": { S: "2026-11-15T00:00:00.000Z" },
        },
      }),
    );
    await process(processor, message);
    expect(await onlyRecord(world)).not.toHaveProperty("attention");
  });

  test("that was deleted by hand is made again by the next try", async () => {
    const { world, processor, close } = await twoSubscribers();
    close(processor);
    const message = queuedPayment(world);
    await process(processor, message);
    const { callbackKey, receipt } = await onlyRecord(world);
    const Key = toAttributes({ callbackKey, receipt });
    const TableName = world.tables.callbacks;
    await world.dynamodb.send(new DeleteItemCommand({ TableName, Key }));
    processor.faults.heal();
    expect(await process(processor, message)).toEqual([]);
  });
});

test("a record that is deleted before its deliveries are marked is not made again", async () => {
  const { world, processor } = await twoSubscribers();
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  processor.faults.fail(to("dynamodb", "UpdateItem"), { kind: "hold", until });
  const outcome = process(processor, queuedPayment(world));
  await expect.poll(() => processor.faults.calls.some(to("dynamodb", "UpdateItem"))).toBe(true);
  const { callbackKey, receipt } = await onlyRecord(world);
  const Key = toAttributes({ callbackKey, receipt });
  const TableName = world.tables.callbacks;
  await world.dynamodb.send(new DeleteItemCommand({ TableName, Key }));
  release();
  expect(await outcome).toEqual([]);
  expect(await records(world)).toEqual([]);
});

test("count-attention counts what needs a person, and what is new of it", async () => {
  const { world, processor, close } = await twoSubscribers();
  const counter = await world.start("count-attention");
  const count = async () => {
    await counter.invoke({});
    return logOf(counter).at(-1);
  };
  expect(await count()).toMatchObject({ outcome: "counted", NeedAttention: 0, NewAttention: 0 });
  await process(processor, queuedPayment(world, { referOrderNo: "A", status: "paid" }));
  close(processor);
  const waiting = { ...queuedPayment(world, { referOrderNo: "B" }), sentAtMilliseconds: 0 };
  await process(processor, waiting);
  expect(await count()).toMatchObject({ NeedAttention: 1, NewAttention: 1 });
  counter.advance(15 * minute);
  expect(await count()).toMatchObject({ NeedAttention: 2, NewAttention: 0 });
  processor.advance(6 * minute);
  await process(processor, fifthReceive(waiting));
  counter.advance(10 * minute);
  expect(await count()).toMatchObject({ NeedAttention: 2, NewAttention: 0 });
});
