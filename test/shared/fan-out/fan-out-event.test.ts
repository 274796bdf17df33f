import { expect, test } from "vitest";
import { fanOutEvent } from "../../../shared/fan-out/fan-out-event.ts";
import type { SendEvent } from "../../../shared/fan-out/send-event.ts";
import { type Subscriber, subscribersTo } from "../../../shared/fan-out/subscriber.ts";
import { publishedRecord } from "../records/callback-record.ts";

const subscriber = (name: string, ...types: string[]): Subscriber => ({
  name,
  types,
  queueUrl: `https://queue/${name}`,
  ordered: true,
});

const record = publishedRecord();

test("each name ends as delivered, failed or gone, and only the named are sent to", async () => {
  const sent: [string, Parameters<SendEvent>[1]][] = [];
  const subscribers = ["a", "b", "c"].map((name) => subscriber(name, "*"));
  const fanOut = await fanOutEvent(
    record,
    ["b", "c", "gone"],
    subscribers,
    async (to, outgoing) => {
      sent.push([to.name, outgoing]);
      if (to.name === "c") throw new Error("no such queue");
    },
  );
  expect(fanOut).toEqual({
    delivered: ["b"],
    failed: ["c"],
    gone: ["gone"],
    errors: ["Error"],
  });
  expect(sent.map(([name]) => name)).toEqual(["b", "c"]);
  expect(sent[0]![1]).toEqual({
    event: record.event,
    eventId: record.factId,
    type: record.type,
    group: record.group,
  });
});

test("all are sent to at the same time: a slow one holds up no other", async () => {
  const began: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const subscribers = ["slow", "quick"].map((name) => subscriber(name, "*"));
  const done = fanOutEvent(record, ["slow", "quick"], subscribers, async ({ name }) => {
    began.push(name);
    if (name === "slow") await held;
  });
  expect(began).toEqual(["slow", "quick"]);
  release();
  expect((await done).delivered).toEqual(["slow", "quick"]);
});

test("a subscriber is chosen by its patterns, once", () => {
  const subscribers = [
    subscriber("all", "*"),
    subscriber("both", "payment.order.*", "payment.order.success"),
    subscriber("refunds", "payment.refund.*"),
    subscriber("none"),
  ];
  const names = subscribersTo("payment.order.success", subscribers).map(({ name }) => name);
  expect(names).toEqual(["all", "both"]);
});
