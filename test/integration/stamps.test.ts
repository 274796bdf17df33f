import { randomUUID } from "node:crypto";
import { CreateSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { readStampKey } from "../../shared/keys/stamp-keys.ts";
import { stamped, testStampKey } from "../builders/stamp.ts";
import { randomName, receive } from "./aws-stores.ts";
import { paymentCallback, queuedPayment } from "./callbacks.ts";
import { to } from "./fault-proxy.ts";
import { deadLetters, eventsOf, logOf, orderItem, post, process, pump } from "./flow.ts";
import type { Queued } from "./lambda-events.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
const minute = 60_000;
const forgersKey = readStampKey({ text: "a key that only the forger has, and nobody else" });

/** A message about an order, in each way in which a forger can write it. */
const forgeries: [string, string, (message: Queued) => Queued][] = [
  ["stamp-missing", "without a stamp", (message) => message],
  [
    "stamp-wrong",
    "under another key",
    ({ group, body, ...rest }) => ({
      ...rest,
      group,
      body: stamped(group, body, { ...testStampKey, keys: forgersKey }),
    }),
  ],
  [
    "stamp-wrong",
    "with a stamp that was made for another group",
    ({ group, body, ...rest }) => ({ ...rest, group, body: stamped("another", body) }),
  ],
];

async function expectNothingApplied(world: World, orderNo: string) {
  expect(await orderItem(world, orderNo)).toBeUndefined();
  expect(await eventsOf(world, "books")).toEqual([]);
}

describe("a forged message changes no order", () => {
  test.each(forgeries)("%s, invoked directly: %s", async (reason, _name, forge) => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const referOrderNo = randomUUID();
    const forged = { ...forge(queuedPayment(world, { referOrderNo })), isWhole: true };
    expect(await process(processor, forged)).toEqual([]);
    await expectNothingApplied(world, referOrderNo);
    expect(await deadLetters(world)).toMatchObject([{ body: forged.body, reason }]);
    expect(logOf(processor).at(-1)).toMatchObject({
      outcome: "stamp-refused",
      reason,
      StampRefused: 1,
    });
  });

  test.each(forgeries)("%s, from the dead letters of a foreign queue: %s", async (...row) => {
    const [reason, , forge] = row;
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const referOrderNo = randomUUID();
    const { group, body } = forge(queuedPayment(world, { referOrderNo }));
    await sendThroughForeignQueue(world, group, body);
    await pump(world, processor);
    await expectNothingApplied(world, referOrderNo);
    expect(await deadLetters(world)).toMatchObject([{ body, group, reason }]);
  });
});

/** A queue of the account may name the inbox as its dead-letter queue, and SQS asks no policy. */
async function sendThroughForeignQueue(world: World, group: string, MessageBody: string) {
  const { sqs, inboxUrl: QueueUrl } = world;
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] });
  const deadLetterTargetArn = (await sqs.send(asked)).Attributes!["QueueArn"]!;
  const foreign = await sqs.send(
    new CreateQueueCommand({
      QueueName: `${randomName("foreign")}.fifo`,
      Attributes: {
        FifoQueue: "true",
        VisibilityTimeout: "0",
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1 }),
      },
    }),
  );
  const ids = { MessageGroupId: group, MessageDeduplicationId: randomUUID() };
  const foreignUrl = foreign.QueueUrl!;
  await sqs.send(new SendMessageCommand({ QueueUrl: foreignUrl, MessageBody, ...ids }));
  expect(await receive(sqs, foreignUrl)).toHaveLength(1);
  expect(await receive(sqs, foreignUrl)).toHaveLength(0);
}

test("a forgery as large as SQS takes blocks no group: its reason has no room, so it goes without", async () => {
  const world = await makeWorld();
  const processor = await world.start("process-callback");
  const message = queuedPayment(world, { referOrderNo: randomUUID() });
  const body = "x".repeat(1_048_576);
  const forged = { messageId: randomUUID(), group: message.group, body, isWhole: true };
  expect(await process(processor, forged, message)).toEqual([]);
  expect(await eventsOf(world, "books")).toHaveLength(1);
  expect(await deadLetters(world)).toMatchObject([{ body, reason: undefined }]);
});

test("a sender with a newer version of the key than process-callback has cached loses nothing", async () => {
  const world = await makeWorld();
  const processor = await world.start("process-callback");
  await process(processor, queuedPayment(world, { referOrderNo: "BEFORE" }));
  await rotate(world);
  const receiver = await world.start("receive-callback");
  for (const referOrderNo of ["ONE", "TWO"]) {
    expect((await post(receiver, paymentCallback(world, { referOrderNo }))).statusCode).toBe(200);
  }
  // What waited in the inbox during the rotation still counts.
  expect(await process(processor, queuedPayment(world, { referOrderNo: "OLD" }))).toEqual([]);
  await pump(world, processor);
  expect(logOf(processor)).toContainEqual(
    expect.objectContaining({ outcome: "failed", reason: "stamp-unchecked" }),
  );
  const events = await eventsOf(world, "books");
  expect(events.map(({ subject }) => subject).sort()).toEqual(["BEFORE", "OLD", "ONE", "TWO"]);
  expect(await deadLetters(world)).toEqual([]);
});

async function rotate({ secrets, stampKeyId, canaries }: World) {
  const SecretString = "TheNextStampKeyOfTheTestsWithMoreThanEnoughCharacters0000000002";
  canaries.add(SecretString);
  await secrets.send(new PutSecretValueCommand({ SecretId: stampKeyId, SecretString }));
}

test("a version of the key that never existed holds its group up for a minute, not longer", async () => {
  const world = await makeWorld();
  const processor = await world.start("process-callback");
  const behind = queuedPayment(world, { referOrderNo: "BEHIND" });
  const { group, body } = behind;
  const forged: Queued = {
    messageId: randomUUID(),
    group,
    isWhole: true,
    sentAtMilliseconds: Date.now(),
    body: stamped(group, body, { ...testStampKey, versionId: randomUUID() }),
  };
  const both = [forged.messageId, behind.messageId];
  expect(await process(processor, forged, behind)).toEqual(both);
  expect(await process(processor, forged, behind)).toEqual(both);
  processor.advance(minute + 1_000);
  expect(await process(processor, forged, behind)).toEqual([]);
  expect(await deadLetters(world)).toMatchObject([{ reason: "stamp-wrong" }]);
  expect(await eventsOf(world, "books")).toHaveLength(1);
  const fetches = processor.faults.calls.filter(to("secretsmanager", "GetSecretValue"));
  // Two versions each: at the first message, and for the unknown version once a minute.
  expect(fetches).toHaveLength(6);
});

describe("while the stamp key cannot be read", () => {
  test("process-callback returns its messages to the inbox, and counts the problem", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const down = to("secretsmanager", "GetSecretValue");
    processor.faults.fail(down, { kind: "refuse", error: { status: 400, type: "AccessDenied" } });
    const message = queuedPayment(world, {});
    expect(await process(processor, message)).toEqual([message.messageId]);
    expect(logOf(processor)).toMatchObject([
      { outcome: "keys-problem", reason: "keys-unreachable", KeysProblem: 1 },
      { outcome: "failed", reason: "stamp-unchecked", GivenBack: 1 },
    ]);
    processor.faults.heal();
    processor.advance(minute);
    expect(await process(processor, message)).toEqual([]);
    expect(await eventsOf(world, "books")).toHaveLength(1);
  });

  test.each([
    ["keys-unset", undefined],
    ["keys-invalid", "too short"],
  ])("receive-callback answers 503: %s", async (errorCode, SecretString) => {
    const world = await makeWorld();
    const Name = randomName("stamp-key");
    await world.secrets.send(new CreateSecretCommand({ Name, SecretString }));
    const receiver = await world.start("receive-callback", { STAMP_KEY: Name });
    expect((await post(receiver, paymentCallback(world))).statusCode).toBe(503);
    expect(logOf(receiver).at(-1)).toMatchObject({
      outcome: "not-stored",
      reason: errorCode,
      NotStored: 1,
      KeysUnavailable: 1,
    });
    expect(await receive(world.sqs, world.inboxUrl)).toEqual([]);
  });

  test("instances that have it go on, and no key is fetched for a message", async () => {
    const world = await makeWorld();
    const receiver = await world.start("receive-callback");
    const processor = await world.start("process-callback");
    await process(processor, queuedPayment(world, {}));
    const fetched = (calls: typeof receiver.faults.calls) =>
      calls.filter(to("secretsmanager", "GetSecretValue")).length;
    const before = [receiver, processor].map(({ faults }) => fetched(faults.calls));
    for (const { faults } of [receiver, processor]) {
      faults.fail(to("secretsmanager", "GetSecretValue"), { kind: "cut" });
    }
    for (let count = 0; count < 5; count += 1) {
      const callback = paymentCallback(world, { referOrderNo: randomUUID() });
      expect((await post(receiver, callback)).statusCode).toBe(200);
    }
    await pump(world, processor);
    expect([receiver, processor].map(({ faults }) => fetched(faults.calls))).toEqual(before);
    expect(await eventsOf(world, "books")).toHaveLength(6);
  });
});
