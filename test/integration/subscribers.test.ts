import { CreateQueueCommand, DeleteQueueCommand } from "@aws-sdk/client-sqs";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { subscribersText } from "./aws-stores.ts";
import { paymentCallback, queued, queuedPayment, queuedRefund } from "./callbacks.ts";
import { type AwsError, type Fault, sendTo, to } from "./fault-proxy.ts";
import { eventsOf, logOf, messagesOf, process, quarantined, records, subscriber } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { type Queued, sqsEvent } from "./lambda-events.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
const minute = 60_000;
const statuses = ["confirming", "success"];
const orders = ["A", "B"];

const refusal = (type: string, status: number): AwsError => ({ type, status });
const refusing = (error: AwsError): Fault => ({ kind: "refuse", error });
const deleted = refusing(refusal("AWS.SimpleQueueService.NonExistentQueue", 400));

let rounds = 0;

/** Every event of every order, mixed as they may come in. The orders are new: A/1 and B/1, then A/2 and B/2. */
const callbacksOf = (world: World): Queued[] => {
  rounds += 1;
  const orderNos = orders.map((order) => `${order}/${rounds}`);
  return statuses.flatMap((status) =>
    orderNos.map((referOrderNo) => queuedPayment(world, { referOrderNo, status })),
  );
};

/** What Lambda does with the inbox: once a minute it hands over what is left. Gives what is left after the rounds. */
async function passMinutes(
  processor: Instance,
  messages: readonly Queued[],
  minutes: number,
): Promise<Queued[]> {
  return await passRounds(processor, messages, minutes, minute);
}

/** The same with pauses of another length. Each round is one more receive of what is left. */
async function passRounds(
  processor: Instance,
  messages: readonly Queued[],
  rounds: number,
  pauseMilliseconds: number,
): Promise<Queued[]> {
  let remaining = [...messages];
  for (let round = 0; round < rounds && remaining.length > 0; round += 1) {
    remaining = remaining.map((message) => ({
      ...message,
      receiveCount: (message.receiveCount ?? 0) + 1,
    }));
    const failed = await process(processor, ...remaining);
    remaining = remaining.filter(({ messageId }) => failed.includes(messageId));
    processor.advance(pauseMilliseconds);
  }
  return remaining;
}

/** By order, the sequences that a subscriber has in its queue. */
async function sequencesOf(world: World, name: string): Promise<Record<string, number[]>> {
  const found: Record<string, number[]> = {};
  for (const { subject, sequence } of await eventsOf(world, name)) {
    const [order = ""] = String(subject).split("/");
    found[order] = [...(found[order] ?? []), Number(sequence)];
  }
  return found;
}

const everything = { A: [1, 2], B: [1, 2] };

const withAttention = async (world: World) =>
  (await records(world)).flatMap((record) => attentionSchema.parse(record).attention ?? []);

const attentionSchema = z.object({ attention: z.object({ kind: z.string() }).optional() });

const expectNothingPending = async (world: World) =>
  expect((await records(world)).filter((record) => "pending" in record)).toEqual([]);

type Trouble = [name: string, fault: Fault];
const isClosed: Trouble = ["is closed by its policy", refusing(refusal("AccessDenied", 403))];
const isSilent: Trouble = ["does not answer", { kind: "cut" }];

const troubles: Trouble[] = [
  isClosed,
  ["is throttled", refusing(refusal("RequestThrottled", 403))],
  ["fails", refusing(refusal("InternalFailure", 500))],
  isSilent,
];

describe("a subscriber's queue that", () => {
  let world: World;
  let processor: Instance;
  beforeAll(async () => {
    world = await makeWorld({ subscribers: [{ name: "books" }, { name: "broken" }] });
    processor = await world.start("process-callback");
  });

  test.each(troubles)(
    "%s, and is back within five minutes, has all of its events in order",
    async (_name, fault) => {
      processor.advance(Date.now() - processor.now());
      processor.faults.fail(sendTo(subscriber(world, "broken").queueUrl), fault);
      const remaining = await passMinutes(processor, callbacksOf(world), 3);
      expect(remaining.length).toBeGreaterThan(0);
      expect(await sequencesOf(world, "broken")).toEqual({});
      expect(logOf(processor).at(-1)).toMatchObject({ ending: "given-back", GivenBack: 1 });
      processor.faults.heal();
      expect(await passMinutes(processor, remaining, 1)).toEqual([]);
      expect(await sequencesOf(world, "broken")).toEqual(everything);
      expect(await sequencesOf(world, "books")).toEqual(everything);
      expect(await quarantined(world)).toEqual([]);
      await expectNothingPending(world);
    },
  );

  // Giving up does not depend on the kind of trouble, so one with an answer and one without are enough.
  test.each([isClosed, isSilent])(
    "%s for longer makes the others wait five minutes, and a redrive brings it the rest in order",
    async (_name, fault) => {
      const world = await makeWorld({ subscribers: [{ name: "books" }, { name: "broken" }] });
      const processor = await world.start("process-callback");
      processor.faults.fail(sendTo(subscriber(world, "broken").queueUrl), fault);
      const inTime = await passMinutes(processor, callbacksOf(world), 5);
      // The first event of each order at once; then the order waits.
      expect(await sequencesOf(world, "books")).toEqual({ A: [1], B: [1] });
      // When the five minutes are over, each later event is only tried for a minute.
      expect(await passMinutes(processor, inTime, 6)).toEqual([]);
      expect(await sequencesOf(world, "books")).toEqual({ A: [2], B: [2] });
      const letters = await quarantined(world);
      expect(letters).toHaveLength(4);
      for (const { kind, subscribers } of letters) {
        expect(kind).toBe("undeliverable");
        expect(Object.keys(subscribers!)).toEqual(["broken"]);
      }
      processor.faults.heal();
      // Again while it is still closed: it is tried for a minute, then it is back, and nothing is sent twice.
      processor.faults.fail(sendTo(subscriber(world, "broken").queueUrl), fault);
      const sentAtMilliseconds = processor.now();
      const [again, ...others] = letters.map((letter, index) => ({
        ...letter,
        messageId: `redriven-${index}`,
        sentAtMilliseconds,
      }));
      const fresh = await world.start("process-callback");
      fresh.faults.fail(sendTo(subscriber(world, "broken").queueUrl), fault);
      fresh.advance(processor.now() - fresh.now());
      // Four receives in 52 seconds, and the fifth after more than a minute.
      const stillWaiting = await passRounds(fresh, [again!], 4, 16_000);
      expect(stillWaiting).toEqual([{ ...again, receiveCount: 4 }]);
      expect(await passRounds(fresh, stillWaiting, 1, minute)).toEqual([]);
      expect((await withAttention(world)).map(({ kind }) => kind)).toEqual(
        letters.map(() => "undeliverable"),
      );
      processor.faults.heal();
      expect(await passMinutes(processor, [again!, ...others], 1)).toEqual([]);
      expect(await sequencesOf(world, "broken")).toEqual(everything);
      expect(await sequencesOf(world, "books")).toEqual({});
      await expectNothingPending(world);
      expect(await withAttention(world)).toEqual([]);
    },
  );

  test("is deleted delays later events of the order by a minute, and no other order", async () => {
    const world = await makeWorld({ subscribers: [{ name: "books" }, { name: "broken" }] });
    const processor = await world.start("process-callback");
    processor.faults.fail(sendTo(subscriber(world, "broken").queueUrl), deleted);
    const ofOrder = (referOrderNo: string, status: string) =>
      queuedPayment(world, { referOrderNo, status });
    const first = [ofOrder("A/0", "confirming"), ofOrder("A/0", "success")];
    const waiting = await passRounds(processor, first, 3, 10_000);
    expect(await sequencesOf(world, "books")).toEqual({ A: [1] });
    const other = await passRounds(processor, [ofOrder("B/0", "success")], 1, 0);
    expect(await sequencesOf(world, "books")).toEqual({ B: [1] });
    // 30 to 50 seconds after the first try, then the minute is over.
    const lastTry = await passRounds(processor, waiting, 3, 10_000);
    expect(await sequencesOf(world, "books")).toEqual({});
    const remaining = await passRounds(processor, lastTry, 1, 10_000);
    expect(await sequencesOf(world, "books")).toEqual({ A: [2] });
    expect(logOf(processor).map(({ ending }) => ending)).toContain("undeliverable");
    expect(await passRounds(processor, [...remaining, ...other], 7, 10_000)).toEqual([]);
    expect((await quarantined(world)).map(({ subscribers }) => subscribers)).toEqual(
      Array(3).fill({ broken: "QueueDoesNotExist" }),
    );
  });

  test("rejects for the whole patience gets one attempt of each further event, until it accepts one", async () => {
    const world = await makeWorld({ subscribers: [{ name: "books" }, { name: "broken" }] });
    const processor = await world.start("process-callback");
    const toBroken = sendTo(subscriber(world, "broken").queueUrl);
    const [, fault] = isClosed;
    const nextOrder = (referOrderNo: string) => queuedPayment(world, { referOrderNo });
    processor.faults.fail(toBroken, fault);
    // 20 seconds apart, so that the instance remembers.
    expect(await passRounds(processor, [nextOrder("A/0")], 17, 20_000)).toEqual([]);
    expect(await process(processor, nextOrder("B/0"))).toEqual([]);
    expect(logOf(processor).at(-1)).toMatchObject({ ending: "undeliverable" });
    expect(await quarantined(world)).toHaveLength(2);
    processor.faults.heal();
    expect(await process(processor, nextOrder("C/0"))).toEqual([]);
    processor.faults.fail(toBroken, fault);
    const returned = nextOrder("D/0");
    expect(await process(processor, returned)).toEqual([returned.messageId]);
    expect(await sequencesOf(world, "broken")).toEqual({ C: [1] });
  });

  test("refuses while messages cannot be returned to the inbox either gets its event on the fourth receive", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    processor.faults.fail(to("sqs"), refusing(refusal("RequestThrottled", 403)));
    // A message that is not returned is visible again after three minutes.
    const remaining = await passRounds(processor, [queuedPayment(world)], 3, 3 * minute);
    expect(remaining).toHaveLength(1);
    processor.faults.heal();
    expect(await passRounds(processor, remaining, 1, 0)).toEqual([]);
    expect(await eventsOf(world, "books")).toHaveLength(1);
    expect(await quarantined(world)).toEqual([]);
  });

  test("refuses for 41 seconds while an old backlog is processed costs no event", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const toBooks = sendTo(subscriber(world, "books").queueUrl);
    processor.faults.fail(toBooks, refusing(refusal("AccessDenied", 403)));
    const anHourAgo = Date.now() - 60 * minute;
    const envelope = paymentCallback(world, {}, { nowMilliseconds: anHourAgo });
    const message = queued(world, envelope, anHourAgo);
    expect(await process(processor, message)).toEqual([message.messageId]);
    processor.advance(41_000);
    expect(await process(processor, message)).toEqual([message.messageId]);
    processor.faults.heal();
    expect(await process(processor, message)).toEqual([]);
    expect(await eventsOf(world, "books")).toHaveLength(1);
    expect(await quarantined(world)).toEqual([]);
  });

  test("was really deleted, and is made again, has its events", async () => {
    const world = await makeWorld({ subscribers: [{ name: "books" }, { name: "broken" }] });
    const processor = await world.start("process-callback");
    const { queueUrl } = subscriber(world, "broken");
    await world.sqs.send(new DeleteQueueCommand({ QueueUrl: queueUrl }));
    const message = queuedPayment(world);
    expect(await process(processor, message)).toEqual([message.messageId]);
    expect(logOf(processor).at(-1)).toMatchObject({
      subscribers: ["broken"],
      errorName: "QueueDoesNotExist",
      orderNo: "ORDER-2026-000042",
    });
    const QueueName = queueUrl.split("/").at(-1);
    await world.sqs.send(new CreateQueueCommand({ QueueName, Attributes: { FifoQueue: "true" } }));
    expect(await process(processor, message)).toEqual([]);
    expect(await eventsOf(world, "broken")).toHaveLength(1);
    expect(await eventsOf(world, "books")).toHaveLength(1);
  });
});

describe("while callbacks flow", () => {
  const configured = (world: World, ...names: string[]) => ({
    SUBSCRIBERS: subscribersText(names.map((name) => subscriber(world, name))),
  });
  const subscribers = [{ name: "books" }, { name: "moving" }];

  test("a subscriber that is added gets what comes from then on", async () => {
    const world = await makeWorld({ subscribers });
    const before = await world.start("process-callback", configured(world, "books"));
    const after = await world.start("process-callback");
    const [first, second] = ["confirming", "success"].map((status) =>
      queuedPayment(world, { status }),
    );
    await process(before, first!);
    await process(after, first!);
    await process(after, second!);
    expect(await sequencesOf(world, "moving")).toEqual({ "ORDER-2026-000042": [2] });
    expect(await sequencesOf(world, "books")).toEqual({ "ORDER-2026-000042": [1, 2] });
  });

  test("a subscriber that is removed gets nothing new, and holds nobody up", async () => {
    const world = await makeWorld({ subscribers });
    const after = await world.start("process-callback", configured(world, "books"));
    expect(await process(after, queuedPayment(world))).toEqual([]);
    expect(await messagesOf(world, "moving")).toEqual([]);
    expect(await messagesOf(world, "books")).toHaveLength(1);
  });

  test("an event that was cut off before its subscriber was removed is given up, naming it", async () => {
    const world = await makeWorld({ subscribers });
    const victim = await world.start("process-callback");
    victim.faults.fail(to("sqs"), { kind: "die-before" });
    const message = queuedPayment(world);
    expect(await victim.invoke(sqsEvent([message]))).toEqual({ kind: "died" });
    const after = await world.start("process-callback", configured(world, "books"));
    const remaining = await passMinutes(after, [message], 4);
    expect(remaining.map(({ messageId }) => messageId)).toEqual([message.messageId]);
    expect(await sequencesOf(world, "books")).toEqual({ "ORDER-2026-000042": [1] });
    expect(await passMinutes(after, remaining, 3)).toEqual([]);
    const [letter] = await quarantined(world);
    expect(letter).toMatchObject({
      kind: "undeliverable",
      subscribers: { moving: "NotConfigured" },
    });
    expect(logOf(after).at(-1)).toMatchObject({ subscribers: ["moving"], ending: "undeliverable" });
  });
});

test("a record does not expire while a subscriber waits for its event", async () => {
  const world = await makeWorld();
  const processor = await world.start("process-callback");
  processor.faults.fail(sendTo(subscriber(world, "books").queueUrl), deleted);
  const message = queuedPayment(world);
  await process(processor, message);
  expect((await records(world))[0]).not.toHaveProperty("expiresAt");
  processor.faults.heal();
  await process(processor, message);
  const [record] = await records(world);
  const recordedSeconds = Math.floor(Date.parse(String(record!["recordedAt"])) / 1000);
  expect(record!["expiresAt"]).toBe(recordedSeconds + 90 * 86_400);
});

test("each subscriber gets the types that it wants and no others", async () => {
  const world = await makeWorld({
    subscribers: [
      { name: "all", types: ["*"] },
      { name: "orders", types: ["payment.order.*"] },
      { name: "refunds", types: ["payment.refund.*"] },
      { name: "two", types: ["payment.order.success", "payment.refund.failed"] },
    ],
  });
  const processor = await world.start("process-callback");
  const statuses = ["confirming", "timeout", "failed", "success"];
  const payments = statuses.map((status) => queuedPayment(world, { status }));
  const refunds = ["refund_failed", "refund_success"].map((status) =>
    queuedRefund(world, { status }),
  );
  expect(await process(processor, ...payments, ...refunds)).toEqual([]);
  const typesOf = async (name: string) =>
    (await eventsOf(world, name)).map(({ type }) => type.replace("payment.", "")).sort();
  const orders = ["order.confirming", "order.failed", "order.success", "order.timeout"];
  expect(await typesOf("all")).toEqual([...orders, "refund.failed", "refund.success"]);
  expect(await typesOf("orders")).toEqual(orders);
  expect(await typesOf("refunds")).toEqual(["refund.failed", "refund.success"]);
  expect(await typesOf("two")).toEqual(["order.success", "refund.failed"]);
});
