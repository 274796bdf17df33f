import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { until } from "../end-to-end/running-stack.ts";
import { drain } from "../integration/aws-stores.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { callback, countOf } from "../operations/quarantine/put-aside.ts";
import { useQuarantineDesk } from "../operations/quarantine/quarantine-desk.ts";
import { failOn } from "./queues.ts";
import { commandsOf, sections, stepsOf } from "./runbook.ts";
import { useOperator } from "./walk.ts";

const operated = useOperatedStack();
const { type, practise } = useOperator(operated);
const desk = useQuarantineDesk(operated);

const sqs = () => operated.target().clients.sqs;
const queuesOf = (name: string) => operated.target().subscribers.find((one) => one.name === name)!;
const idIn = ({ out }: { readonly out: string }) => /^[0-9a-f-]{12,36}(?= )/m.exec(out)?.[0] ?? "";

test("inbox-dead-letters: what an outage left there is seen, shown and redriven, and foreign text comes back", async () => {
  const [list, show] = commandsOf("inbox-dead-letters", "look");
  const [redrive] = commandsOf("inbox-dead-letters", "do");
  const [over] = commandsOf("inbox-dead-letters", "over");
  const often = callback({ orderNo: "OFTEN" });
  await desk.toDeadLetters(often);
  const listed = await type(list);
  const shown = await type(show, { ID: idIn(listed).slice(0, 4) });
  expect(shown.out).toContain("OFTEN");
  expect(await type(redrive)).toMatchObject({ code: 0 });
  await desk.published(often);
  expect((await type(over)).out).toContain("No dead letters of the inbox.");

  await desk.toDeadLetters({ body: "not ours", group: "a" });
  await type(redrive);
  await until("it to come back", async () =>
    (await desk.letterCount()).visible === 1 ? true : undefined,
  );
  expect((await type(list)).out).toContain("inbox-message-unreadable");
  await desk.purge();
});

test("dead-letters-expiring: both lists show what expires", async () => {
  const [ofInbox, ofSubscriber] = commandsOf("dead-letters-expiring", "look");
  await desk.toDeadLetters({ body: "not ours", group: "a" });
  expect(idIn(await type(ofInbox))).not.toBe("");
  const none = await type(ofSubscriber, { SUBSCRIBER: "fulfilment" });
  expect(none.out).toContain("No dead letters of fulfilment.");
  await desk.purge();
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
    out: "1 message sent to the queue of fulfilment again.\n",
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

/** What the AWS command would do with the words of a practice. */
async function aws([service, verb, ...words]: readonly string[]): Promise<void> {
  const option = (name: string) => words[words.indexOf(`--${name}`) + 1] ?? "";
  const { clients } = operated.target();
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
    await desk.purge();
  },
);
