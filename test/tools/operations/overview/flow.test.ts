import { DeleteQueueCommand, ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { readFlow } from "../../../../tools/operations/overview/read-flow.ts";
import type { ReadMetrics } from "../../../../tools/operations/ports/metrics.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { until } from "../../../end-to-end/running-stack.ts";
import { callback, operator } from "../attention/put-aside.ts";
import { useOperatedStack } from "../operated-stack.ts";

describe("the flow of the local stack", () => {
  const operated = useOperatedStack();
  const look = async (now?: () => number) => {
    const target = operated.target();
    return await readFlow(target, now && { now });
  };
  const countedBy = (count: ReadMetrics): Target => {
    const { metrics, ...target } = operated.target();
    return { ...target, metrics: { ...metrics, count } };
  };
  const subscriber = async (name: string) => {
    const { subscribers } = await look();
    return subscribers.find((candidate) => candidate.name === name);
  };

  test("an empty stack has counts of zero, and no oldest message", async () => {
    const { counts, inbox, subscribers, attention } = await look();
    expect(counts?.accepted).toMatchObject({ total: 0, perStep: Array(60).fill(0) });
    expect(inbox).toMatchObject({ waiting: 0, inFlight: 0, deadLetters: { waiting: 0 } });
    expect(subscribers.map(({ oldestSeconds }) => oldestSeconds)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const nothing = { waiting: 0, undeliverable: 0, quarantined: 0, notice: 0 };
    expect(attention).toEqual({ ...nothing, isMore: false, subscribers: {} });
  });

  test("in status: a line for each stage and subscriber, and exit code 0 if no alarm rings", async () => {
    const { out, code } = await operated.paycast("status");
    expect(out.trimEnd().split("\n")).toEqual([
      "storefront     0 orders created",
      "callbacks in   0 accepted",
      "inbox          0 waiting",
      "processed      0 events published",
      "attention      0 items need attention",
      "fulfilment     0 in the queue",
      "order-history  0 in the queue",
      "analytics      0 in the queue",
      "",
      "No active alarms.",
    ]);
    expect(code).toBe(0);
  });

  test("a paid order is counted at each stage, and waits in each queue that wants it", async () => {
    await operated.paidOrder("FLOW-1");
    // Each function writes its lines in its own time.
    await until("the lines of both facts", async () => {
      const { counts } = await look();
      return counts?.published.total === 2 && counts.accepted.total === 2 ? true : undefined;
    });
    const { counts, subscribers } = await look(() => Date.now() + 60_000);
    expect(counts?.accepted.total).toBe(2);
    expect(counts?.accepted.perStep.reduce((sum, count) => sum + count)).toBe(2);
    expect(subscribers.map(({ name, waiting }) => [name, waiting])).toEqual([
      ["fulfilment", 1],
      ["order-history", 2],
      ["analytics", 2],
    ]);
    for (const { oldestSeconds = 0 } of subscribers) {
      expect(oldestSeconds).toBeGreaterThanOrEqual(60);
      expect(oldestSeconds).toBeLessThan(120);
    }
  });

  test("a refused request and a quarantined callback are counted where they left the way", async () => {
    await fetch(operated.target().stack.callbackUrl, { method: "POST", body: "{}" });
    await operated.shop().fault("unknown-event", "FLOW-2");
    const { body } = await operated.shop().create("FLOW-2");
    await operated.shop().act(body.paymentId, "fail");
    // The record is written first, then the line that counts it.
    await until("record and count to agree, and the line of the refusal", async () => {
      const { attention, counts } = await look();
      const records = attention?.quarantined ?? 0;
      const isCounted = records > 0 && counts?.quarantined.total === records;
      return isCounted && counts?.refused.total === 1 ? true : undefined;
    });
    expect((await look()).inbox.deadLetters.waiting).toBe(0);
  });

  test("an order that the service refuses is counted, with the service's latest code and words", async () => {
    const { shop } = operated;
    await shop().fault("refuse-creates", "FLOW-3", {
      code: 40103,
      msg: "body cannot be decrypted",
    });
    expect((await shop().create("FLOW-3")).status).toBe(502);
    await shop().get("FLOW-1");
    await until("the lines of the orders", async () => {
      const { counts } = await look();
      return counts?.ordersRefused.total === 1 && counts.ordersCreated.total === 2
        ? true
        : undefined;
    });
    const { lastRefusal, hasStorefront } = await look();
    expect({ lastRefusal, hasStorefront }).toEqual({
      lastRefusal: "40103 body cannot be decrypted",
      hasStorefront: true,
    });
    const { out } = await operated.paycast("status");
    expect(out).toMatch(/^storefront +2 orders created, 1 rejected \(last 20\S+Z\)/m);
    expect(out).toMatch(
      /^attention +\d items? needs? attention \(last 20\S+Z\), \d not understood$/m,
    );
    const { counts } = await operated.paycastJson("status");
    expect(counts).toMatchObject({ ordersCreated: 2, ordersRefused: 1 });
  });

  test("an order whose answer is lost is counted as failed, with unknown outcome", async () => {
    await operated.shop().fault("broken-answer", "FLOW-4");
    expect((await operated.shop().create("FLOW-4")).status).toBe(504);
    await until("the line of the order", async () => {
      const { ordersFailed, ordersUnknown } = (await look()).counts ?? {};
      return ordersFailed?.total === 1 && ordersUnknown?.total === 1 ? true : undefined;
    });
    const { out } = await operated.paycast("status");
    expect(out).toMatch(/^storefront .* 1 failed .*1 of these with unknown outcome/m);
  });

  test("a subscriber whose queue refuses says since when, why, what waits and what was given up", async () => {
    const { missed } = operator(operated);
    const noon = Date.parse("2026-11-15T12:00:00Z");
    const at = (minutes: number) => noon + minutes * 60_000;
    await missed(callback(), ["fulfilment", "old-team"], { now: at(0) });
    await missed(callback(), ["fulfilment", "old-team"], { now: at(0.5) });
    await missed(callback(), ["fulfilment"], { kind: "waiting", now: at(1) });
    await missed(callback(), ["fulfilment"], { kind: "waiting", now: at(2) });
    const { attention, subscribers } = await look();
    expect(attention).toMatchObject({ waiting: 2, undeliverable: 2, isMore: false });
    const errorName = "QueueDoesNotExist";
    const [givenUpSince, lastGivenUp] = [at(0), at(0.5)].map((time) =>
      new Date(time).toISOString(),
    );
    const givenUp = { givenUp: 2, givenUpSince, lastGivenUp, errorName };
    expect(subscribers.map((candidate) => [candidate.name, candidate.refusing])).toEqual([
      ["fulfilment", { ...givenUp, waiting: 2, since: new Date(at(1)).toISOString() }],
      ["order-history", undefined],
      ["analytics", undefined],
    ]);
    expect(attention?.subscribers["old-team"]).toEqual({
      ...givenUp,
      waiting: 0,
      since: undefined,
    });
  });

  test("a received message is in flight, and a dead letter is counted with its subscriber", async () => {
    const clients = operated.clients();
    const { subscribers } = operated.target().queues;
    const [{ queueUrl = "", deadLettersUrl = "" } = {}] = subscribers;
    await clients.sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrl }));
    const letter = { QueueUrl: deadLettersUrl, MessageBody: "{}" };
    const order = { MessageGroupId: "g", MessageDeduplicationId: "d" };
    await clients.sqs.send(new SendMessageCommand({ ...letter, ...order }));
    expect(await subscriber("fulfilment")).toMatchObject({
      inFlight: 1,
      deadLetters: { waiting: 1 },
    });
  });

  test("a queue that is gone says so, and hides nothing else", async () => {
    const clients = operated.clients();
    const { subscribers } = operated.target().queues;
    const QueueUrl = subscribers.find(({ name }) => name === "analytics")?.queueUrl;
    await clients.sqs.send(new DeleteQueueCommand({ QueueUrl }));
    const gone = await subscriber("analytics");
    expect(gone).toMatchObject({
      isGone: true,
      problem: "It does not exist: it was deleted.",
    });
    const { out } = await operated.paycast("status");
    expect(out).toMatch(/^analytics +its queue does not exist$/m);
    expect(out).toContain(
      "The queue of analytics does not exist: it was deleted. To recreate it: npx paycast check\n",
    );
    expect((await subscriber("order-history"))?.problem).toBeUndefined();
  });

  test("every class of refusal is counted as refused", async () => {
    const count: ReadMetrics = async (wanted) => {
      const counted = new Set(wanted.map(({ name }) => name));
      return (...asked) => {
        const total = asked.filter(({ name }) => counted.has(name)).length;
        return { total, perStep: [total], stepMinutes: 1, since: 0 };
      };
    };
    const { counts } = await readFlow(countedBy(count));
    expect(counts?.refused.total).toBe(4);
  });

  test("without counts the queues are still reported", async () => {
    const count = async () => {
      throw new Error("no metrics today");
    };
    const flow = await readFlow(countedBy(count));
    expect(flow.counts).toBeUndefined();
    expect(flow.countsProblem).toMatch("no metrics today");
    expect(flow.subscribers).toHaveLength(3);
  });
});
