import {
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  SetQueueAttributesCommand,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { bodies, receives, type TestQueue, useSqs } from "./queues.ts";

/** "Using dead-letter queues" and "Configure a dead-letter queue redrive" of the SQS developer guide, one test a sentence. */
const { client, fifo, standard, advance, now } = useSqs();

const redriveTo = ({ arn }: TestQueue, maxReceiveCount: number) => ({
  RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn, maxReceiveCount }),
});

async function fifoPair(maxReceiveCount: number) {
  const letters = await fifo();
  return { letters, queue: await fifo(redriveTo(letters, maxReceiveCount)) };
}

/** Receives, and returns to the queue. */
async function fail(queue: TestQueue, most = 10): Promise<void> {
  for (const message of await queue.receive({ MaxNumberOfMessages: most })) {
    await queue.setVisibility(message, 0);
  }
}

describe("dead letters", () => {
  test("a message is given as often as the policy says, and moved by the receive after that", async () => {
    const { queue, letters } = await fifoPair(2);
    await queue.send("1");
    await fail(queue);
    await fail(queue);
    expect([await queue.counts(), await letters.counts()]).toEqual([
      [1, 0],
      [0, 0],
    ]);
    expect(await queue.receive()).toEqual([]);
    expect([await queue.counts(), await letters.counts()]).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });

  test("when one is moved, its group goes on in the same receive", async () => {
    const { queue, letters } = await fifoPair(2);
    await queue.send("poison");
    await queue.send("next");
    await fail(queue, 1);
    await fail(queue, 1);
    expect(bodies(await queue.receive())).toEqual(["next"]);
    expect(bodies(await letters.receive())).toEqual(["poison"]);
  });

  test("what is returned with a failing message is counted and moved with it", async () => {
    const { queue, letters } = await fifoPair(2);
    await queue.send("poison");
    await queue.send("untried");
    await fail(queue);
    await fail(queue);
    expect(await queue.receive()).toEqual([]);
    expect(bodies(await letters.receive())).toEqual(["poison", "untried"]);
  });

  test("a dead letter keeps its id, group and count, and tells its source; on a FIFO queue its id replaces its deduplication id", async () => {
    const { queue, letters } = await fifoPair(1);
    const sent = { MessageGroupId: "g", MessageDeduplicationId: "d" };
    const { MessageId } = await queue.send("1", sent);
    await fail(queue);
    await queue.receive();
    const [letter] = await letters.receive();
    const source = { MessageGroupId: "g", DeadLetterQueueSourceArn: queue.arn };
    expect(letter).toMatchObject({
      MessageId,
      Attributes: { ...source, MessageDeduplicationId: MessageId },
    });
    expect(receives([letter!])).toEqual([2]);
  });

  test("its age starts anew on a FIFO queue, and goes on on a standard queue", async () => {
    const { queue, letters } = await fifoPair(1);
    const plainLetters = await standard();
    const plain = await standard(redriveTo(plainLetters, 1));
    const sentAt = now();
    for (const testQueue of [queue, plain]) {
      await testQueue.send("1");
      await fail(testQueue);
    }
    advance(60);
    for (const testQueue of [queue, plain]) await testQueue.receive();
    const ageOf = async (testQueue: TestQueue) =>
      Number((await testQueue.receive())[0]!.Attributes!.SentTimestamp) - sentAt;
    expect([await ageOf(letters), await ageOf(plainLetters)]).toEqual([60_000, 0]);
  });
});

describe("message move tasks", () => {
  const start = (from: TestQueue, to?: TestQueue) =>
    client().send(
      new StartMessageMoveTaskCommand({ SourceArn: from.arn, DestinationArn: to?.arn }),
    );
  const newest = async ({ arn: SourceArn }: TestQueue) =>
    (await client().send(new ListMessageMoveTasksCommand({ SourceArn }))).Results?.[0];

  async function twoDead() {
    const { queue, letters } = await fifoPair(1);
    await queue.send("1");
    await queue.send("2");
    await fail(queue);
    await queue.receive();
    return { queue, letters };
  }

  test("moves everything back to where it came from, in its order", async () => {
    const { queue, letters } = await twoDead();
    expect(await newest(letters)).toBeUndefined();
    await start(letters);
    expect(await newest(letters)).toMatchObject({
      Status: "COMPLETED",
      SourceArn: letters.arn,
      ApproximateNumberOfMessagesMoved: 2,
    });
    expect(await letters.counts()).toEqual([0, 0]);
    expect(bodies(await queue.receive())).toEqual(["1", "2"]);
  });

  test("a moved message is a new one: another id, received for the first time", async () => {
    const { letters, queue } = await twoDead();
    const dead = await letters.receive();
    for (const letter of dead) await letters.setVisibility(letter, 0);
    await start(letters);
    const moved = await queue.receive();
    expect(receives(moved)).toEqual([1, 1]);
    expect(moved.map(({ MessageId }) => MessageId)).not.toEqual(
      dead.map(({ MessageId }) => MessageId),
    );
  });

  test("moves to another queue if one is named", async () => {
    const { letters } = await twoDead();
    const other = await fifo();
    await start(letters, other);
    expect(bodies(await other.receive())).toEqual(["1", "2"]);
  });

  test("takes only a queue that is another queue's dead-letter queue", async () => {
    const lone = await fifo();
    await expect(start(lone)).rejects.toMatchObject({ name: "InvalidParameterValue" });
    const gone = { ...lone, arn: `${lone.arn}-gone` };
    await expect(start(gone)).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  });

  test("fails for a message that was sent to the dead letters by hand, unless a destination is named", async () => {
    const { letters } = await fifoPair(1);
    await letters.send("by-hand");
    await start(letters);
    expect(await newest(letters)).toMatchObject({
      Status: "FAILED",
      FailureReason: "CouldNotDetermineMessageSource",
    });
    expect(await letters.counts()).toEqual([1, 0]);
  });

  test("fails if the queue that the messages came from is gone", async () => {
    const { queue, letters } = await twoDead();
    await fifo(redriveTo(letters, 1));
    await client().send(new DeleteQueueCommand({ QueueUrl: queue.url }));
    await start(letters);
    expect(await newest(letters)).toMatchObject({
      Status: "FAILED",
      FailureReason: "AWS.SimpleQueueService.NonExistentQueue",
    });
    expect(await letters.counts()).toEqual([2, 0]);
  });
});

describe("a redrive allow policy", () => {
  const allow = (policy: object) => ({ RedriveAllowPolicy: JSON.stringify(policy) });
  const set = ({ url: QueueUrl }: TestQueue, Attributes: Record<string, string>) =>
    client().send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  const refused = {
    name: "InvalidParameterValue",
    message: expect.stringContaining("for parameter RedrivePolicy is invalid"),
  };

  test("that denies all lets no queue name this one as its dead-letter queue", async () => {
    const closed = await fifo(allow({ redrivePermission: "denyAll" }));
    await expect(fifo(redriveTo(closed, 1))).rejects.toMatchObject(refused);
    const queue = await fifo();
    await expect(set(queue, redriveTo(closed, 1))).rejects.toMatchObject(refused);
    await queue.send("1");
    await fail(queue);
    expect(bodies(await queue.receive())).toEqual(["1"]);
    expect(await closed.counts()).toEqual([0, 0]);
  });

  test("that names queues accepts the dead letters of these alone", async () => {
    const [named, other] = [await fifo(), await fifo()];
    const sourceQueueArns = [named.arn];
    const letters = await fifo(allow({ redrivePermission: "byQueue", sourceQueueArns }));
    await set(named, redriveTo(letters, 1));
    await expect(set(other, redriveTo(letters, 1))).rejects.toMatchObject(refused);
    await named.send("1");
    await fail(named);
    expect(await named.receive()).toEqual([]);
    expect(bodies(await letters.receive())).toEqual(["1"]);
  });

  test("keeps a message in its queue if the policy came after the queue that names this one", async () => {
    const { queue, letters } = await fifoPair(1);
    await set(letters, allow({ redrivePermission: "denyAll" }));
    await queue.send("1");
    await fail(queue);
    expect(bodies(await queue.receive())).toEqual(["1"]);
    expect(await letters.counts()).toEqual([0, 0]);
  });

  test.each([
    { redrivePermission: "everybody" },
    { redrivePermission: "byQueue" },
    { redrivePermission: "denyAll", sourceQueueArns: ["arn:aws:sqs:us-east-1:000000000000:q"] },
  ])("%j is refused", async (policy) => {
    await expect(fifo(allow(policy))).rejects.toMatchObject({ name: "InvalidAttributeValue" });
  });
});

test("a queue shows the policy that it was made with", async () => {
  const letters = await fifo();
  const policy = redriveTo(letters, 7);
  const { url: QueueUrl } = await fifo(policy);
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["RedrivePolicy"] });
  expect((await client().send(command)).Attributes).toEqual(policy);
});
