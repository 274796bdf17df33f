import { PurgeQueueCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { expect } from "vitest";
import { until } from "../../end-to-end/running-stack.ts";
import { countOf } from "../../tools/operations/attention/put-aside.ts";
import type { Scene } from "./scene.ts";
import type { Walk } from "./walk.ts";

const subscribers = ["fulfilment", "order-history", "analytics"];
const day = 24 * 60;

/** Consumers read all queues, so nothing is old. */
async function read(scene: Scene): Promise<void> {
  for (const subscriber of subscribers) await scene.consumer(subscriber, "reads");
  await scene.jump(7);
}

const unread: Walk = {
  trouble: "nobody reads the queues",
  section: "subscriber-queue",
  alarms: [
    "SubscribersfulfilmentQueueAlarm",
    "SubscribersorderhistoryQueueAlarm",
    "SubscribersanalyticsQueueAlarm",
  ],
  take: async (scene) => {
    const { alarms } = unread;
    await read(scene);
    for (const subscriber of subscribers) await scene.consumer(subscriber, "nobody");
    expect(await scene.callback("UNREAD")).toBe(200);
    await scene.jump(12);
    await scene.isSilent(...alarms);
    await scene.jump(5);
    const { out } = await scene.rings(...alarms);
    expect(out).toMatch(
      /problem +queue of fulfilment +The oldest of \d+ events? has waited since /,
    );
    expect(out).not.toContain("dead-letters list");
    for (const subscriber of subscribers) await scene.consumer(subscriber, "reads");
    await scene.jump(2);
    await scene.rings(...alarms);
    await scene.jump(6);
    await scene.isOver(...alarms);
  },
};

const failing: Walk = {
  trouble: "a consumer fails on an event, and nobody sees to it for ten days",
  section: "dead-letters-expiring",
  alarms: ["SubscribersfulfilmentQueueAlarm", "ExpiringAlarm"],
  take: async (scene) => {
    const { operated } = scene;
    await read(scene);
    await scene.lab("fulfilment fails on every event");
    expect(await scene.callback("FAILS")).toBe(200);
    await until("its dead letter", async () => {
      await scene.jump(1 / 30);
      const { deadLettersUrl } = operated.target().queues.subscribers[0]!;
      return (await countOf(operated.target(), deadLettersUrl)).visible === 1 ? true : undefined;
    });
    await scene.jump(2);
    const { out } = await scene.rings("SubscribersfulfilmentQueueAlarm");
    expect(out).toMatch(/problem +dead letters of fulfilment +1 message needs attention\./);
    const [, command = ""] = /-> List them: npx paycast (.*)/.exec(out) ?? [];
    const listed = await operated.paycast(...command.split(" "));
    expect(listed.out).toContain("FAILS");
    await scene.jump(10 * day - 15);
    await scene.isSilent("ExpiringAlarm");
    await scene.jump(20);
    await scene.rings("ExpiringAlarm");
    await scene.consumer("fulfilment", "reads");
    const redrive = ["dead-letters", "redrive", "fulfilment", "--all", "--yes"];
    expect(await operated.paycast(...redrive)).toMatchObject({ code: 0 });
    await scene.jump(2);
    await scene.rings("ExpiringAlarm", "SubscribersfulfilmentQueueAlarm");
    await scene.jump(6);
    await scene.isOver("ExpiringAlarm", "SubscribersfulfilmentQueueAlarm");
  },
};

const foreign: Walk = {
  trouble: "a stranger puts a message into the inbox",
  section: "inbox",
  alarms: ["InboxQueueAlarm", "ProcessingTriedAlarm"],
  take: async (scene) => {
    const { alarms } = foreign;
    const clients = scene.operated.clients();
    const { inbox } = scene.operated.target().queues;
    await scene.isSilent(...alarms);
    const message = { MessageBody: "not ours", MessageGroupId: "g", MessageDeduplicationId: "d" };
    await clients.sqs.send(new SendMessageCommand({ QueueUrl: inbox.url, ...message }));
    await scene.jump(2);
    const { out } = await scene.rings(...alarms);
    expect(out).toMatch(/dead letter/);
    // Nobody redrives it, so somebody deletes it.
    await clients.sqs.send(new PurgeQueueCommand({ QueueUrl: inbox.deadLettersUrl }));
    await scene.jump(2);
    await scene.rings(...alarms);
    await scene.jump(6);
    await scene.isOver(...alarms);
  },
};

export const queueWalks = [unread, failing, foreign];
