import { expect, test } from "vitest";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { PublishedRecord } from "../../shared/records/callback-record.ts";
import { hourBucket, shardOf } from "../../shared/records/time-bucket.ts";
import { until } from "../end-to-end/running-stack.ts";
import { drain, putItem, scan } from "../integration/aws-stores.ts";
import { sqsEvent } from "../integration/lambda-events.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { type Aside, callback, countOf } from "../operations/quarantine/put-aside.ts";
import { useQuarantineDesk } from "../operations/quarantine/quarantine-desk.ts";
import { forget } from "../operations/replay/recorded-events.ts";
import { deployFunction } from "./deploy-function.ts";
import { deleteQueue, failOn } from "./queues.ts";
import { commandsOf } from "./runbook.ts";
import { useOperator } from "./walk.ts";

const operated = useOperatedStack();
const { type } = useOperator(operated);
const desk = useQuarantineDesk(operated);
const minute = 60_000;
const day = 24 * 60 * minute;

const sqs = () => operated.target().clients.sqs;
const queuesOf = (name: string) => operated.target().subscribers.find((one) => one.name === name)!;
const nothing = { out: expect.stringContaining("Nothing needs a person.") };
const idIn = ({ out }: { readonly out: string }) => /^[0-9a-f-]{12,36}(?= )/m.exec(out)?.[0] ?? "";

/** The payment service sends an event whose name Paycast does not know. */
async function sendUnknownEvent(orderNo: string): Promise<void> {
  const { body } = await operated.shop().create(orderNo);
  await operated.shop().fault("unknown-event", orderNo, { times: 1 });
  await operated.shop().act(body.paymentId, "expire");
  await until("the dead letter", async () =>
    (await desk.letterCount()).visible === 1 ? true : undefined,
  );
}

/** As if a deployment had taught process-callback the name: the record is one with a name that is known. */
async function learnUnknownEvent(orderNo: string): Promise<void> {
  const { clients, tables } = operated.target();
  const records = await scan(clients.dynamodb, tables.callbacks);
  const one = records.find(({ message }) => String(message).includes(orderNo))!;
  await forget(operated.target(), one as unknown as PublishedRecord);
  const body = String(one["message"]).replace("unheard-of", "timeout");
  await desk.record({ body, group: String(one["group"]), orderNo, callbackId: "" });
}

test("inbox-dead-letters: a new event of the service is seen, learned and redriven", async () => {
  const [list, show] = commandsOf("inbox-dead-letters", "look");
  const [redrive, discard] = commandsOf("inbox-dead-letters", "do");
  const [over] = commandsOf("inbox-dead-letters", "over");
  await sendUnknownEvent("UNHEARD");
  const listed = await type(list);
  expect(listed.out).toMatch(/ quarantined +event-unknown +shop-1 +order UNHEARD /);
  const shown = await type(show, { ID: idIn(listed).slice(0, 4) });
  expect(shown.out).toContain("payment.order.unheard-of");
  expect(shown.out).toContain('"referOrderNo": "UNHEARD"');

  expect(await type(discard, { ID: idIn(listed) })).toMatchObject({ code: 0 });
  expect(await desk.letterCount()).toEqual({ visible: 0, held: 0 });
  expect((await type(over)).out).toMatch(/order UNHEARD .* record /);

  await learnUnknownEvent("UNHEARD");
  const redriven = await type(redrive);
  expect(redriven.out).toMatch(/order UNHEARD +published$/m);
  expect(redriven.code).toBe(0);
  expect(await type(over)).toMatchObject(nothing);
});

test("dead-letters-expiring: both lists show what expires, and a redrive without a fix gives 14 new days", async () => {
  const [ofInbox, ofSubscriber] = commandsOf("dead-letters-expiring", "look");
  await sendUnknownEvent("EXPIRING");
  const before = await type(ofInbox);
  expect(before.out).toMatch(/order EXPIRING .* both /);
  const none = await type(ofSubscriber, { SUBSCRIBER: "fulfilment" });
  expect(none.out).toContain("No dead letters of fulfilment.");

  const [redrive] = commandsOf("inbox-dead-letters", "do");
  const redriven = await type(redrive);
  expect(redriven.out).toContain("quarantined again: event-unknown");
  expect(redriven.out).toContain("What was quarantined again is a new dead letter");
  await until("the new dead letter", async () =>
    (await desk.letterCount()).visible === 1 ? true : undefined,
  );

  await desk.purge();
  expect((await type(ofInbox)).out).toMatch(/order EXPIRING .* record /);
  await learnUnknownEvent("EXPIRING");
  expect(await type(redrive)).toMatchObject({ code: 0 });
  expect(await type(ofInbox)).toMatchObject(nothing);
});

/** A callback as process-callback gets it, and again after the five minutes for which a queue may refuse. */
async function giveUp({ body, group, callbackId: messageId }: Aside): Promise<void> {
  const processor = await deployFunction(operated, "process-callback");
  const event = sqsEvent([{ messageId, group, body }]);
  await processor.invoke(event);
  processor.advance(6 * minute);
  await processor.invoke(event);
  await processor.stop();
}

test("undeliverable-events: a deleted queue is found, created again, and gets what it missed", async () => {
  const [list, check] = commandsOf("undeliverable-events", "look");
  const [checkAgain, redrive] = commandsOf("undeliverable-events", "do");
  const [over, order] = commandsOf("undeliverable-events", "over");
  const asTemplate = await deleteQueue(sqs(), queuesOf("order-history").queueUrl);
  await giveUp(callback({ orderNo: "MISSED" }));
  expect((await type(list)).out).toMatch(/ order MISSED .* Not delivered to order-history\./);
  expect((await type(order, { ORDER_NO: "MISSED" })).out).toContain("order-history waiting");
  expect((await type(check)).out).toMatch(/problem +queue of order-history +The queue does not/);

  await sqs().send(asTemplate);
  expect((await type(checkAgain)).out).toMatch(/ok +queue of order-history +FIFO, 0 messages/);
  expect(await type(redrive)).toMatchObject({ code: 0 });
  expect(await desk.eventsAbout("MISSED")).toHaveLength(1);
  expect(await type(over)).toMatchObject(nothing);
  const { out } = await type(order, { ORDER_NO: "MISSED" });
  expect(out).toContain("fulfilment sent  order-history sent  analytics sent");
});

test("undeliverable-events: after 14 days what is still missing is found by its time and sent", async () => {
  const [list, redrive] = commandsOf("undeliverable-events", "do").filter((one) =>
    one.includes("--since"),
  );
  const [, order] = commandsOf("undeliverable-events", "over");
  const late = callback({ orderNo: "OLD" });
  await desk.toInbox(late);
  const { clients, tables } = operated.target();
  const published = await desk.published(late);
  const recordedAt = new Date(Date.now() - 15 * day).toISOString();
  const timeBucket = hourBucket(recordedAt, shardOf(String(published["group"])));
  const pending = new Set(["order-history"]);
  const missed = { ...published, pending, recordedAt, timeBucket };
  await putItem(clients.dynamodb, tables.callbacks, missed);
  const words = { FROM: "16d", UNTIL: "14d", ORDER_NO: "OLD" };
  expect((await type(list, words)).out).toMatch(/ undeliverable .* order OLD /);
  expect(await type(redrive, words)).toMatchObject({ code: 0 });
  expect((await type(order, words)).out).toContain("order-history sent");
});

test("undeliverable-events: what waits for a subscriber that is gone is discarded", async () => {
  const [list] = commandsOf("undeliverable-events", "look");
  const discard = commandsOf("undeliverable-events", "do").at(-1);
  const aside = callback({ orderNo: "GONE" });
  await desk.toInbox(aside);
  const { clients, tables } = operated.target();
  const pending = new Set(["long-gone"]);
  await putItem(clients.dynamodb, tables.callbacks, { ...(await desk.published(aside)), pending });
  await desk.letter(aside, new PaycastError("subscriber-unreachable", "Not delivered."));

  const listed = await type(list);
  expect(listed.out).toContain("No longer configured: long-gone; discard the dead letter.");
  expect(await type(discard, { ID: idIn(listed) })).toMatchObject({
    code: 0,
    out: "1 dead letter deleted. Records stay.\n",
  });
  const [over] = commandsOf("undeliverable-events", "over");
  expect(await type(over)).toMatchObject(nothing);
});

test("subscriber-dead-letters: an event on which a consumer failed ten times is shown and sent again", async () => {
  const SUBSCRIBER = "fulfilment";
  const [list, show] = commandsOf("subscriber-dead-letters", "look");
  const [redrive] = commandsOf("subscriber-dead-letters", "do");
  const [over] = commandsOf("subscriber-dead-letters", "over");
  const { queueUrl, deadLettersUrl } = queuesOf(SUBSCRIBER);
  await drain(sqs(), queueUrl);
  await operated.paidOrder("TEN-TIMES");
  await until("the event", async () =>
    (await countOf(operated.target(), queueUrl)).visible === 1 ? true : undefined,
  );
  await failOn(sqs(), queueUrl, 10);
  expect(await countOf(operated.target(), deadLettersUrl)).toEqual({ visible: 1, held: 0 });

  const listed = await type(list, { SUBSCRIBER });
  expect(listed.out).toMatch(/ payment\.order\.success +TEN-TIMES +0/);
  const shown = await type(show, { SUBSCRIBER, ID: idIn(listed).slice(0, 4) });
  expect(shown.out).toContain('"orderNo": "TEN-TIMES"');
  expect(await type(redrive, { SUBSCRIBER })).toMatchObject({
    code: 0,
    out: "1 event sent again.\n",
  });
  const [again] = await drain(sqs(), queueUrl);
  expect(again?.Body).toContain("TEN-TIMES");
  expect((await type(over, { SUBSCRIBER })).out).toContain("No dead letters of fulfilment.");
});

test("subscriber-age: check tells how many events wait, until the consumer runs again", async () => {
  const [check] = commandsOf("subscriber-age", "look");
  const { queueUrl } = queuesOf("order-history");
  await drain(sqs(), queueUrl);
  await operated.paidOrder("UNREAD");
  await until("the events", async () =>
    (await countOf(operated.target(), queueUrl)).visible === 2 ? true : undefined,
  );
  expect((await type(check)).out).toMatch(/ok +queue of order-history +FIFO, 2 messages/);
  await drain(sqs(), queueUrl);
  expect((await type(check)).out).toMatch(/ok +queue of order-history +FIFO, 0 messages/);
  for (const command of commandsOf("subscriber-age", "do")) {
    expect(await type(command)).toMatchObject({ code: 0 });
  }
});
