import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import type { PublishedRecord } from "../../shared/records/callback-record.ts";
import { until } from "../end-to-end/running-stack.ts";
import { drain, scan } from "../integration/aws-stores.ts";
import { sqsEvent } from "../integration/lambda-events.ts";
import { attentionSetup } from "../tools/operations/attention/attention-setup.ts";
import { type Aside, callback, countOf } from "../tools/operations/attention/put-aside.ts";
import { useOperatedStack } from "../tools/operations/operated-stack.ts";
import { forget } from "../tools/operations/replay/recorded-events.ts";
import { deleteQueue, deployFunction, failOn } from "./causes.ts";
import { commandsOf, sections, stepsOf } from "./runbook.ts";
import { useOperator } from "./walk.ts";

const operated = useOperatedStack();
const { type, practise } = useOperator(operated);
const setup = attentionSetup(operated);
const minute = 60_000;
const day = 24 * 60 * minute;

const sqs = () => operated.clients().sqs;
const queuesOf = (name: string) =>
  operated.target().queues.subscribers.find((subscriber) => subscriber.name === name)!;
const nothing = { out: expect.stringContaining("Nothing needs attention.") };
const idIn = ({ out }: { readonly out: string }) => /^[0-9a-f-]{12,36}(?= )/m.exec(out)?.[0] ?? "";

/** The payment service sends an event whose name Paycast does not know. */
async function sendUnknownEvent(orderNo: string): Promise<void> {
  const { body } = await operated.shop().create(orderNo);
  await operated.shop().fault("unknown-event", orderNo, { times: 1 });
  await operated.shop().act(body.paymentId, "expire");
  await until("its quarantine", async () => {
    const { items } = await operated.paycastJson("attention", "list", "--order", orderNo);
    return items.length > 0 ? true : undefined;
  });
}

/** As if a deployment had taught process-callback the name: the record is one with a name that is known. */
async function learnUnknownEvent(orderNo: string): Promise<void> {
  const clients = operated.clients();
  const { tables } = operated.stack().description;
  const records = await scan(clients.dynamodb, tables.callbacks);
  const record = records.find(({ message }) => String(message).includes(orderNo))!;
  await forget(operated.target(), record as unknown as PublishedRecord);
  const body = String(record["message"]).replace("unheard-of", "timeout");
  await setup.record({ body, group: String(record["group"]), orderNo, callbackId: "" });
}

test("attention-new: a new event of the service is seen, learned and redriven", async () => {
  const [list, show] = commandsOf("attention-new", "look");
  const [, , redrive, , , dismiss] = commandsOf("attention-new", "do");
  const [over] = commandsOf("attention-new", "over");
  await sendUnknownEvent("UNHEARD");
  const listed = await type(list);
  expect(listed.out).toMatch(/ quarantined +event-unknown +shop-1 +UNHEARD /);
  const shown = await type(show, { ID: idIn(listed).slice(0, 4) });
  expect(shown.out).toContain("payment.order.unheard-of");
  expect(shown.out).toContain('"referOrderNo": "UNHEARD"');

  await learnUnknownEvent("UNHEARD");
  const redriven = await type(redrive);
  expect(redriven).toMatchObject({ code: 0, out: "1 message sent to the inbox: 1 done.\n" });
  expect(await type(over)).toMatchObject(nothing);

  await sendUnknownEvent("NOT-NEEDED");
  const remaining = await type(list);
  expect(await type(dismiss, { ID: idIn(remaining) })).toMatchObject({
    code: 0,
    out: "1 record dismissed.\n",
  });
  expect(await type(over)).toMatchObject(nothing);
});

/** A callback as process-callback gets it, and its fifth receive after the minute for which a queue may be missing. */
async function giveUp({ body, group, callbackId: messageId }: Aside): Promise<void> {
  const processor = await deployFunction(operated, "process-callback");
  const queued = { messageId, ...(await setup.stampedFor({ body, group })), isWhole: true };
  await processor.invoke(sqsEvent([queued]));
  processor.advance(minute);
  await processor.invoke(sqsEvent([{ ...queued, receiveCount: 5 }]));
  await processor.stop();
}

test("attention-new: a deleted queue is found, created again, and gets what it missed", async () => {
  const [list, , check] = commandsOf("attention-new", "look");
  const [checkAgain, , , redrive] = commandsOf("attention-new", "do");
  const [over, order] = commandsOf("attention-new", "over");
  const { queueUrl } = queuesOf("order-history");
  await operated.paidOrder("HELD");
  await operated.shop().control("POST", "/clock", { jumpSeconds: 120 });
  const asTemplate = await deleteQueue(sqs(), queueUrl);
  await giveUp(callback({ orderNo: "MISSED" }));
  expect((await type(list)).out).toMatch(
    / undeliverable +subscriber-unreachable +shop-1 +MISSED .* Not delivered to order-history \(\w+\)\./,
  );
  const checked = (await type(check)).out;
  expect(checked).toMatch(/problem +queue of order-history +The queue does not/);
  const [replay = ""] = /npx paycast replay --to order-history .*$/m.exec(checked) ?? [];

  await sqs().send(asTemplate);
  expect((await type(checkAgain)).out).toMatch(/ok +queue of order-history +FIFO, 0 messages/);
  expect(await type(replay.replaceAll("'", ""))).toMatchObject({ code: 0 });
  expect(await setup.eventsAbout("HELD")).not.toEqual([]);
  expect(await type(redrive)).toMatchObject({ code: 0 });
  expect(await setup.eventsAbout("MISSED")).toHaveLength(1);
  expect(await type(over)).toMatchObject(nothing);
  const { out } = await type(order, { ORDER_NO: "MISSED" });
  // The stack's clock is ahead of the function's that gave it up.
  expect(out).toMatch(
    /^ {2}fulfilment, analytics delivered \S+Z {2}order-history delivered \S+Z, \d+ min(?: \d+ s)? after the others$/m,
  );
});

test("attention-new: what was in a purged inbox is found by its time and sent", async () => {
  const [list, redrive] = commandsOf("attention-new", "do").filter((command) =>
    command.includes("--since"),
  );
  const [, order] = commandsOf("attention-new", "over");
  await setup.untried(callback({ orderNo: "OLD" }), ["order-history"], Date.now() - 15 * day);
  const words = { FROM: "16d", UNTIL: "14d", ORDER_NO: "OLD" };
  expect((await type(list, words)).out).toMatch(/ untried .* OLD /);
  expect(await type(redrive, words)).toMatchObject({ code: 0 });
  expect((await type(order, words)).out).toContain("order-history delivered");
});

test("attention-new: what a subscriber that is gone misses is dismissed", async () => {
  const [list] = commandsOf("attention-new", "look");
  const [, , , , dismiss] = commandsOf("attention-new", "do");
  const [over] = commandsOf("attention-new", "over");
  for (const orderNo of ["GONE-1", "GONE-2"])
    await setup.missed(callback({ orderNo }), ["long-gone"]);
  expect((await type(list)).out).toContain("No longer configured: long-gone.");
  expect(await type(dismiss, { SUBSCRIBER: "long-gone" })).toMatchObject({
    code: 0,
    out: "2 records dismissed.\n",
  });
  expect(await type(over)).toMatchObject(nothing);
});

test("attention-needed: all of it is in one list, what is stuck is sent again, and the rest is dismissed", async () => {
  const [list] = commandsOf("attention-needed", "look");
  const [, redrive, dismiss] = commandsOf("attention-needed", "do");
  const [over] = commandsOf("attention-needed", "over");
  await setup.missed(callback({ orderNo: "STUCK" }), ["analytics"], { kind: "waiting" });
  await setup.record(callback({ orderNo: "ODD" }));
  const before = await type(list);
  expect(before.out).toMatch(/ waiting .* STUCK /);
  expect(before.out).toMatch(/ quarantined .* ODD /);
  expect(await type(redrive)).toMatchObject({
    code: 0,
    out: "1 message sent to the inbox: 1 done.\n",
  });
  expect(await type(dismiss, { ID: idIn(await type(list)) })).toMatchObject({ code: 0 });
  expect(await type(over)).toMatchObject(nothing);
});

test("attention-unknown: while nothing counts, check looks at the function, and the list has everything", async () => {
  const [check, list] = commandsOf("attention-unknown", "look");
  expect((await type(check)).out).toContain("queue of order-history");
  expect(await type(list)).toMatchObject(nothing);
});

test("inbox: what an outage left there is seen, shown and redriven, and foreign text stays", async () => {
  const [, list, show] = commandsOf("inbox", "look");
  const [redrive] = commandsOf("inbox", "do");
  const [over] = commandsOf("inbox", "over");
  const often = callback({ orderNo: "OFTEN" });
  await setup.toDeadLetters(often);
  const listed = await type(list);
  const shown = await type(show, { ID: idIn(listed).slice(0, 4) });
  expect(shown.out).toContain("OFTEN");
  expect(await type(redrive)).toMatchObject({ code: 0 });
  await setup.published(often);
  expect((await type(over)).out).toContain("No dead letters of the inbox.");

  await setup.foreignToInbox({ body: "not ours", group: "a" });
  await until("its dead letter", async () =>
    (await setup.letterCount()).visible === 1 ? true : undefined,
  );
  expect((await type(list)).out).toContain("stamp-missing");
  expect((await type(redrive)).out).toContain("Skipped: 1 message without the stamp of Paycast.");
  expect((await setup.letterCount()).visible).toBe(1);
  await setup.purge();
});

test("dead-letters-expiring: both lists show what expires", async () => {
  const [check, ofInbox, ofSubscriber] = commandsOf("dead-letters-expiring", "look");
  await setup.toDeadLetters({ body: "not ours", group: "a" });
  expect((await type(check)).out).toMatch(/ dead letters of the inbox /);
  expect(idIn(await type(ofInbox))).not.toBe("");
  const none = await type(ofSubscriber, { SUBSCRIBER: "fulfilment" });
  expect(none.out).toContain("No dead letters of fulfilment.");
  await setup.purge();
});

test("subscriber-queue: an event on which a consumer failed ten times is shown and sent again", async () => {
  const SUBSCRIBER = "fulfilment";
  const [, list, show] = commandsOf("subscriber-queue", "look");
  const [redrive] = commandsOf("subscriber-queue", "do");
  const [over] = commandsOf("subscriber-queue", "over");
  const { queueUrl, deadLettersUrl } = queuesOf(SUBSCRIBER);
  await drain(sqs(), queueUrl);
  await operated.paidOrder("TEN-TIMES");
  await until("the event", async () =>
    (await countOf(operated.target(), queueUrl)).visible === 1 ? true : undefined,
  );
  await failOn(sqs(), queueUrl, 10);
  expect(await countOf(operated.target(), deadLettersUrl)).toEqual({ visible: 1, held: 0 });

  const listed = await type(list, { SUBSCRIBER });
  expect(listed.out).toMatch(/ payment\.order\.success +TEN-TIMES +2 /);
  const shown = await type(show, { SUBSCRIBER, ID: idIn(listed).slice(0, 4) });
  expect(shown.out).toContain('"orderNo": "TEN-TIMES"');
  expect(await type(redrive, { SUBSCRIBER })).toMatchObject({
    code: 0,
    out: "1 message sent to the queue of fulfilment again.\n",
  });
  const [again] = await drain(sqs(), queueUrl);
  expect(again?.Body).toContain("TEN-TIMES");
  expect((await type(over, { SUBSCRIBER })).out).toContain("No dead letters of fulfilment.");
});

test("subscriber-queue: check tells how many events wait, until the consumer runs again", async () => {
  const [check] = commandsOf("subscriber-queue", "look");
  const { queueUrl } = queuesOf("order-history");
  await drain(sqs(), queueUrl);
  await operated.paidOrder("UNREAD");
  await until("the events", async () =>
    (await countOf(operated.target(), queueUrl)).visible === 2 ? true : undefined,
  );
  expect((await type(check)).out).toMatch(/ok +queue of order-history +FIFO, 2 messages/);
  await drain(sqs(), queueUrl);
  expect((await type(check)).out).toMatch(/ok +queue of order-history +FIFO, 0 messages/);
  const replay = commandsOf("subscriber-queue", "do").at(-1);
  expect(await type(replay)).toMatchObject({ code: 0 });
});

/** What the AWS command would do with the words of a practice. */
async function aws([service, verb, ...words]: readonly string[]): Promise<void> {
  const option = (name: string) => words[words.indexOf(`--${name}`) + 1] ?? "";
  const clients = operated.clients();
  if (`${service} ${verb}` === "sqs send-message") {
    await clients.sqs.send(
      new SendMessageCommand({
        QueueUrl: option("queue-url"),
        MessageBody: option("message-body"),
        MessageGroupId: option("message-group-id"),
        MessageDeduplicationId: option("message-deduplication-id"),
      }),
    );
  } else {
    expect([service, verb]).toEqual(["secretsmanager", "put-secret-value"]);
    const [SecretId, SecretString] = [option("secret-id"), option("secret-string")];
    await clients.secretsManager.send(new PutSecretValueCommand({ SecretId, SecretString }));
  }
}

/** The names of the config that npm start has, as they are here. */
const names = { DemoMerchant: "shop-1", CALLBACK_KEYS_DEMOMERCHANT: "CALLBACK_KEYS_SHOP_1" };

test.each([...sections.keys()].filter((name) => stepsOf(name).some(({ says }) => says)))(
  "%s: its practice shows what it says",
  async (section) => {
    await practise(section, names, aws);
    await setup.purge();
  },
);
