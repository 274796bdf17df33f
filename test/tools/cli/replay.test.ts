import { beforeEach, expect, test } from "vitest";
import { refundResult } from "../../builders/callback.ts";
import { until } from "../../end-to-end/running-stack.ts";
import { scan } from "../../integration/aws-stores.ts";
import { callback, operator } from "../operations/attention/put-aside.ts";
import { placeOrder } from "../operations/place-order.ts";
import { ownDay, received, record, recordedDay } from "../operations/replay/recorded-events.ts";
import { useTarget } from "../operations/use-target.ts";

const operated = useTarget();
const { paycast, paycastJson } = operated;
const { toInbox } = operator(operated);
const callbacks = () => operated.target().records.table;

beforeEach(async () => {
  for (const { name } of operated.target().queues.subscribers) await received(operated, name);
});

const recorded = (count: number, orderNo?: (index: number) => string) =>
  recordedDay(operated.target(), count, orderNo);

test("what was delivered live comes again, byte for byte, and only to the one who asked", async () => {
  const orderNo = "REPLAY-1";
  const paymentId = await placeOrder(operated, orderNo);
  const text = JSON.stringify(refundResult({ merchantId: "shop-1", paymentId }));
  await toInbox(callback({ orderNo }));
  await toInbox(callback({ orderNo, eventName: "payment.refund.success", text }));
  const live: Awaited<ReturnType<typeof received>> = [];
  await until("both events, and their delivery to be noted", async () => {
    live.push(...(await received(operated, "order-history")));
    const types = live.map(({ type }) => type);
    const isThere = ["payment.order.success", "payment.refund.success"].every((type) =>
      types.includes(type),
    );
    const records = await scan(operated.clients().dynamodb, callbacks());
    return isThere && records.every(({ pending }) => pending === undefined) ? true : undefined;
  });
  for (const { replay } of live) expect(replay).toBeUndefined();
  await received(operated, "analytics");
  const args = ["--to", "order-history", "--order", "REPLAY-1", "--yes"];
  const { code, out } = await paycast("replay", ...args);
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(
      new RegExp(`^Run \\S+: ${live.length} of ${live.length} events sent to order-history\\.\n$`),
    ),
  });
  const again = await received(operated, "order-history");
  for (const { group } of live) {
    const ofGroup = (messages: typeof live) =>
      messages
        .filter((message) => message.group === group)
        .map(({ body, type }) => ({ body, type }));
    expect(ofGroup(again)).toEqual(ofGroup(live));
  }
  expect(again).toHaveLength(live.length);
  for (const { replay } of again) expect(replay).toMatch(/^\d{8}-\d{6}-[0-9a-f]{6}$/);
  expect(await received(operated, "analytics")).toEqual([]);
});

test("without --yes it only says what it would do", async () => {
  const hostile = "A\u001b[2J\u0007\u202eB";
  const { range, records } = await recorded(7, () => hostile);
  const { code, out } = await paycast("replay", "--to", "analytics", ...range, "--rate", "2");
  expect(code).toBe(0);
  expect(out).toContain(
    "At most 7 events would be sent to analytics. At 2 a second it takes at least 4 s.",
  );
  expect(out).toMatch(/^payment\.order\.success +7$/m);
  expect(out).toContain("And 2 more.");
  expect(out).toContain("Events whose first delivery to analytics is still pending are skipped.");
  expect(out).toContain("Consumers receive the same bytes again and recognise them by id.");
  expect(out).toContain("Nothing was changed.");
  expect(out).toContain("A\ufffd[2J\ufffd\ufffdB");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them.
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  const json = await paycastJson("replay", "--to", "analytics", ...range);
  expect(json).toMatchObject({
    subscriber: "analytics",
    events: 7,
    byType: { "payment.order.success": 7 },
    first: records[0]!.recordedAt,
    last: records[6]!.recordedAt,
    eventsPerSecond: 50,
    estimatedSeconds: 0.14,
    done: false,
  });
  expect(json.sample).toHaveLength(5);
  expect(await received(operated, "analytics")).toEqual([]);
});

test("events of an order that are still on their normal way are counted and left out", async () => {
  const orderNo = `PENDING-${Date.now()}`;
  const { at } = ownDay();
  const recordedAt = at("10:00:00.000");
  const pending = ["analytics"];
  await record(operated.target(), { orderNo, sequence: 1, recordedAt });
  await record(operated.target(), { orderNo, sequence: 2, recordedAt, pending });
  const order = ["--order", orderNo];
  const { code, out } = await paycast("replay", "--to", "analytics", ...order);
  expect(code).toBe(0);
  expect(out).toMatch(/^1 event would be sent to analytics\./);
  expect(out).toContain("1 event skipped: the first delivery is still pending.");
  expect(await paycastJson("replay", "--to", "analytics", ...order)).toMatchObject({
    events: 1,
    pending: 1,
  });
  const others = await paycast("replay", "--to", "order-history", ...order);
  expect(others.out).toMatch(/^2 events would be sent to order-history\./);
  expect(others.out).not.toContain("skipped");
  const sent = await paycastJson("replay", "--to", "analytics", ...order, "--yes");
  expect(sent).toMatchObject({ events: 1, counts: { sent: 1, pending: 1 } });
  const alone = `${orderNo}-ALONE`;
  await record(operated.target(), { orderNo: alone, recordedAt, pending });
  expect(await paycast("replay", "--to", "analytics", "--order", alone)).toMatchObject({
    code: 1,
    out: expect.stringMatching(
      /^There is nothing to send to analytics\.\n1 event skipped: the first delivery is/,
    ),
  });
});

test("nothing that matches is exit code 1, with and without --yes", async () => {
  const { since, until: end } = ownDay();
  const range = ["--since", since, "--until", end];
  for (const yes of [[], ["--yes"]]) {
    expect(await paycast("replay", "--to", "analytics", ...range, ...yes)).toMatchObject({
      code: 1,
      out: expect.stringContaining("No recorded event matches."),
    });
  }
  const failed = await recorded(2);
  const narrowed = [...failed.range, "--type", "payment.order.*"];
  expect((await paycast("replay", "--to", "fulfilment", ...narrowed)).code).toBe(0);
  const day = ownDay();
  const type = "payment.order.failed" as const;
  await record(operated.target(), { orderNo: "x", recordedAt: day.at("10:00:00.000"), type });
  const unwanted = ["--since", day.since, "--until", day.until];
  expect(await paycast("replay", "--to", "fulfilment", ...unwanted)).toMatchObject({
    code: 1,
    out: "The filter of fulfilment excludes everything that matches: 1 event.\n",
  });
});

test.each([
  [["--to", "analytics", "--type", "payment.cancel"], "--type must match an event: payment.order."],
  [["--to", "analytics", "--all", "--rate", "0"], "--rate must be at least 1."],
  [["--to", "analytics", "--all", "--rate", "501"], "--rate must be at most 500."],
  [["--to", "nobody", "--all"], "The stack has no subscriber of that name."],
  [["everything"], "One argument belongs to no option."],
  [["--all"], "Give --to SUBSCRIBER."],
])("%j is wrong usage", async (args, message) => {
  expect(await paycast("replay", ...args)).toMatchObject({
    code: 2,
    err: expect.stringContaining(message),
  });
});
