import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DeleteMessageCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { beforeAll, describe, expect, test } from "vitest";
import { makeMerchant } from "../../builders/merchant.ts";
import { useSubscriberSetup } from "../operations/dead-letters/subscriber-setup.ts";
import { keySetup } from "../operations/keys/key-setup.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { ownDay, record, timesOf } from "../operations/replay/recorded-events.ts";
import { type Console, openConsole } from "./open-console.ts";

const operated = useOperatedStack();
const context = useSubscriberSetup(operated);
const keys = keySetup(operated);
let page: Console;
beforeAll(async () => {
  page = await openConsole(operated.stack().description.console);
});

const audited = () => readFileSync(join(operated.directory, "audit.log"), "utf8");

describe("the list of subscribers", () => {
  test("tells filter, order and what waits", async () => {
    await context.bury("ORDER-1");
    const { subscribers } = await page.view("/api/subscribers");
    expect(subscribers).toMatchObject([
      {
        name: "fulfilment",
        types: ["payment.order.success", "payment.refund.*"],
        ordered: true,
        waiting: 0,
        inFlight: 0,
        deadLetters: { waiting: 1 },
      },
      { name: "order-history" },
      { name: "analytics", ordered: false },
    ]);
    const view = await page.view("/api/subscribers/analytics");
    expect(view.subscribers).toMatchObject([{ name: "analytics", types: ["*"] }]);
    expect((await page.ask("/api/subscribers/nobody")).status).toBe(404);
  });
});

describe("a subscriber's page", () => {
  const minute = () =>
    operated.shop().control("POST", "/clock", { jumpSeconds: 61 }) as Promise<unknown>;
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

  test("has its last hour: what came in, what was finished, how old the oldest was, and who read", async () => {
    const clients = operated.clients();
    const { subscribers } = operated.target().queues;
    const { queueUrl: QueueUrl } = subscribers.find(({ name }) => name === "order-history")!;
    const history = () => page.view("/api/subscribers/order-history/history");
    await operated.paidOrder("HISTORY-1");
    await minute();
    const before = await history();
    expect(sum(before.sent.perStep)).toBeGreaterThanOrEqual(2);
    expect(before.deleted.total).toBe(0);
    expect(Math.max(...before.oldestSeconds.perStep)).toBeGreaterThan(0);
    expect(before.lastReadAt).toBeUndefined();
    const { Messages = [] } = await clients.sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    const [{ ReceiptHandle } = {}] = Messages;
    await clients.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    await minute();
    const after = await history();
    expect(after.deleted.total).toBe(1);
    expect(after.lastReadAt).toMatch(/Z$/);
  });

  test("has the newest events for it and no others, from the records, without a receive", async () => {
    await operated.paidOrder("NEWEST-1");
    const eventsOf = async (name: string) => {
      const { events } = await page.view(`/api/subscribers/${name}/events`);
      return events.filter(({ orderNo }: { orderNo: string }) => orderNo === "NEWEST-1");
    };
    expect(await eventsOf("fulfilment")).toMatchObject([
      { type: "payment.order.success", state: "sent", at: expect.stringMatching(/Z$/) },
    ]);
    // The second callback may be the first that is recorded.
    const found: { type: string; recordedAt: string }[] = await eventsOf("analytics");
    expect(found.map(({ type }) => type).sort()).toEqual([
      "payment.order.confirming",
      "payment.order.success",
    ]);
    const times = found.map(({ recordedAt }) => recordedAt);
    expect(times).toEqual(times.toSorted().reverse());
  });
});

describe("a subscriber's dead letters", () => {
  const path = "/api/dead-letters";
  const queue = "fulfilment";
  const lookAgain = async () => (await page.post(`${path}/list/again`, { queue })).json.report;

  test("are listed and shown with their event from one look, and returned", async () => {
    const subject = "<script>\u202e64/..%2f";
    const id = await context.bury(subject);
    const { data, table } = await lookAgain();
    expect(data.total).toBe(1);
    expect(data.letters).toMatchObject([{ messageId: id, subject, sequence: "0000000007" }]);
    expect(table.ids).toEqual([id]);
    const { report } = await page.view(`${path}/show?queue=fulfilment&id=${id}`);
    expect(JSON.parse(report.text)).toMatchObject({ subject });
    expect(report.data.receiveCount).toBe(1);
    expect(await context.letterCount()).toEqual({ visible: 1, held: 0 });
    expect((await page.ask(`${path}/show?queue=fulfilment&id=0000`)).status).toBe(404);
    expect((await page.ask(`${path}/list?queue=nobody`)).status).toBe(404);
  });

  test("are not received by a page that is opened, until a person looks", async () => {
    const name = "order-history";
    await context.bury("UNSEEN", name);
    const unseen = { report: undefined, lookedAt: undefined };
    expect(await page.view(`${path}/list?queue=${name}`)).toEqual(unseen);
    expect(await page.view(`${path}/show?queue=${name}&id=0000`)).toEqual(unseen);
    await page.post(`${path}/list/again`, { queue: name });
    const { report } = await page.view(`${path}/list?queue=${name}`);
    const [letter] = report.data.letters;
    const shown = await page.view(`${path}/show?queue=${name}&id=${letter.messageId}`);
    // The page has shown it three times, and one look received it.
    expect(shown.report.data).toMatchObject({ subject: "UNSEEN", receiveCount: 1 });
  });

  test("a look has the time of the stack's clock", async () => {
    await operated.shop().control("POST", "/clock", { jumpSeconds: 120 });
    const { lookedAt } = (await page.post(`${path}/list/again`, { queue })).json;
    expect(Math.abs(operated.target().clock.now() - Date.parse(lookedAt))).toBeLessThan(30_000);
  });

  test("a look and a preview at the same time both see a letter: they take turns", async () => {
    const id = await context.bury("ORDER-1");
    const asked = { queue: "fulfilment", ids: [id] };
    const [{ data }, shown] = await Promise.all([
      lookAgain(),
      page.post("/api/dead-letters/redrive/preview", asked),
    ]);
    expect(data.letters).toMatchObject([{ messageId: id }]);
    expect(shown.json).toMatchObject({ yes: "Redrive 1" });
  });
});

describe("a replay", () => {
  const path = "/api/replay";
  const preview = async (asked: object) =>
    (await page.post(`${path}/preview`, { to: "fulfilment", ...asked })).json;

  test("that is stopped ends with the command that continues it", async () => {
    // One a second, so that there is time to stop it on a busy machine, too.
    const { since, until } = await recordedDay(60);
    const shown = await preview({ since, until, rate: 1 });
    expect(shown.report.data).toMatchObject({ events: 60 });
    expect(shown.report.data).not.toHaveProperty("pending");
    const { json: job } = await page.post(path, { preview: shown.preview });
    await expect
      .poll(async () => await context.received(), { timeout: 60_000 })
      .not.toHaveLength(0);
    await page.post(`/api/jobs/${job.id}/stop`);
    const { state, outcome } = await page.ended(job.id);
    expect({ state, outcome }).toMatchObject({
      state: "stopped",
      outcome: expect.stringMatching(
        / ([1-9]|[1-5]\d) of 60 events sent.* To continue: npx paycast replay --to fulfilment --rate 1 --since '/,
      ),
    });
    expect(audited()).toContain('"act":"replay"');
  });

  const recordedDay = async (count: number) => {
    const day = ownDay();
    const events = timesOf(day, count, 1_000).map((recordedAt, index) => ({
      orderNo: `order ${index}`,
      recordedAt,
    }));
    await record(operated.target(), ...events);
    return day;
  };
});

describe("the keys", () => {
  test("a rotation is seen by a page that is opened seconds later: the old version is still needed, or safe to retire", async () => {
    await operated.paidOrder("KEYS-1");
    const { description } = operated.stack();
    const secret = description.merchants[0]?.callbackKeys ?? "";
    const read = async () => (await page.view("/api/keys/check")).report;
    const versions = async () => (await read()).data.merchants[0].secrets[0].versions;
    expect(await versions()).toHaveLength(1);
    await keys.put(secret, makeMerchant().callbackSecret());
    await expect.poll(versions).toHaveLength(2);
    const { data, sections } = await read();
    const [, previous] = data.merchants[0].secrets[0].versions;
    expect(previous).toMatchObject({ stage: "previous", retirement: "in-use" });
    expect(previous.verifiesUntil > new Date().toISOString()).toBe(true);
    const merchant = "shop-1";
    expect(sections[0].offers).toMatchObject([
      { verb: "set" },
      { verb: "restore", input: { merchant, only: "callback" } },
      { verb: "revoke", input: { merchant, previous: true } },
      { verb: "revoke", input: { merchant, current: true } },
    ]);
  });
});
