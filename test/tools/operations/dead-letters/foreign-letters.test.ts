import { randomUUID } from "node:crypto";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { localAccountId, localRegion } from "../../../../tools/local/aws/local-account.ts";
import { until } from "../../../end-to-end/running-stack.ts";
import { callback, operator } from "../attention/put-aside.ts";
import { useTarget } from "../use-target.ts";
import { useSubscriberSetup } from "./subscriber-setup.ts";

const operated = useTarget();
const { paycast, paycastJson } = operated;
const { bury, buryEvent, buryText, eventOf, letterCount, received } = useSubscriberSetup(operated);

const { toInbox } = operator(operated);

const arnOf = (url: string) =>
  `arn:aws:sqs:${localRegion}:${localAccountId}:${url.split("/").at(-1)}`;

describe("a foreign message", () => {
  const forged = (group: string) => eventOf("FORGED", group);

  test("is one whose exact text is in no record of its partition key, and is marked", async () => {
    await bury("OURS", "fulfilment", "group");
    await buryText(forged("group"), "fulfilment", "x");
    await buryText(`${forged("group")} `, "fulfilment", "y");
    await buryText("no event", "fulfilment", "z");
    await buryText(JSON.stringify({ partitionkey: "p".repeat(4_000) }), "fulfilment", "long");
    const list = await paycastJson("dead-letters", "list", "fulfilment");
    const foreign = list.letters.filter((letter: { foreign: boolean }) => letter.foreign);
    expect({ all: list.letters.length, foreign: foreign.length }).toEqual({ all: 5, foreign: 4 });
    const { out } = await paycast("dead-letters", "list", "fulfilment");
    expect(out).toMatch(/ OURS .* -$/m);
    expect(out).toMatch(/ FORGED .* foreign$/m);
    expect(out).toContain("4 foreign. No record of the stack holds exactly this event");
    const { messageId } = foreign[0];
    const shown = await paycast("dead-letters", "show", "fulfilment", messageId);
    expect(shown.out).toMatch(/^foreign +No record of the stack/m);
  });

  test("with the text of another partition key's event is foreign, too", async () => {
    const event = eventOf("OURS", "another");
    await buryEvent(event.replace("another", "group"), "fulfilment", "group");
    await buryText(event, "fulfilment", "group");
    const { letters } = await paycastJson("dead-letters", "list", "fulfilment");
    expect(letters.map(({ foreign }: { foreign: boolean }) => foreign).sort()).toEqual([
      false,
      true,
    ]);
  });

  test("is refused by its id, and says why", async () => {
    const id = await buryText(forged("group"), "fulfilment", "x");
    const run = await paycast("dead-letters", "redrive", "fulfilment", id, "--yes");
    expect(run.code).toBe(2);
    expect(run.err).toContain(`${id} is foreign. No record of the stack holds exactly this event`);
    expect(await letterCount()).toEqual({ visible: 1, held: 0 });
    expect(await received()).toEqual([]);
  });

  test.each(["fulfilment", "analytics"])(
    "stays when everything of %s is redriven, and the command says so",
    async (name) => {
      for (const subject of ["A", "B"]) await bury(subject, name);
      await buryText(forged("group"), name, "x");
      const run = await paycast("dead-letters", "redrive", name, "--all", "--yes");
      expect(run.code).toBe(1);
      expect(run.out).toContain(`2 messages sent to the queue of ${name} again.\n`);
      expect(run.out).toContain("1 stay, because they are foreign. No record of the stack");
      const subjects = (await received(name)).map(({ Body }) => JSON.parse(Body!).subject);
      expect(subjects.toSorted()).toEqual(["A", "B"]);
      expect(await letterCount(name)).toEqual({ visible: 1, held: 0 });
    },
  );

  test("is none of the stack's own events, also after a replay of it", async () => {
    await toInbox(callback({ orderNo: "REPLAYED" }));
    const [live] = await until("its event", async () => {
      const events = await received();
      return events.length > 0 ? events : undefined;
    });
    await paycast("replay", "--to", "fulfilment", "--order", "REPLAYED", "--yes");
    const [replayed] = await received();
    for (const { Body } of [live!, replayed!]) await buryText(Body!, "fulfilment", randomUUID());
    const { letters } = await paycastJson("dead-letters", "list", "fulfilment");
    expect(letters).toMatchObject([{ foreign: false }, { foreign: false }]);
  });

  test("cannot come from a queue that names a live queue as its dead-letter queue", async () => {
    const { inbox, subscribers } = operated.target().queues;
    for (const url of [inbox.url, ...subscribers.map(({ queueUrl }) => queueUrl)]) {
      const { sqs } = operated.clients();
      const isFifo = url.endsWith(".fifo");
      const deadLetterTargetArn = arnOf(url);
      const create = new CreateQueueCommand({
        QueueName: `${randomUUID()}${isFifo ? ".fifo" : ""}`,
        Attributes: {
          ...(isFifo && { FifoQueue: "true" }),
          RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1 }),
        },
      });
      await expect(sqs.send(create)).rejects.toThrow("RedriveAllowPolicy");
    }
  });
});
