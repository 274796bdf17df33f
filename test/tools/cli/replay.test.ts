import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DeleteQueueCommand } from "@aws-sdk/client-sqs";
import { beforeEach, expect, test } from "vitest";
import { send } from "../../../tools/operations/replay/replay.ts";
import { listRuns, loadRun } from "../../../tools/operations/replay/run.ts";
import { until } from "../../end-to-end/running-stack.ts";
import { scan } from "../../integration/aws-stores.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { ownDay, received, record, recordedDay } from "../operations/replay/recorded-events.ts";
import { spawnPaycast } from "../operations/spawn-paycast.ts";

const operated = useOperatedStack();
const { paycast, paycastJson, directory } = operated;
const runs = join(directory, "replays");
const callbacks = () => operated.target().tables.callbacks;

beforeEach(async () => {
  for (const { name } of operated.target().subscribers) await received(operated.target(), name);
});

const recorded = (count: number, orderNo?: (index: number) => string) =>
  recordedDay(operated.target(), count, orderNo);

/** A run that was not known and has sent its first batch. */
const begunRun = async (known: ReadonlySet<string>) =>
  (await listRuns(runs)).find(({ run, position }) => !known.has(run) && position > 0);

const filesOfRuns = () => {
  try {
    return readdirSync(runs);
  } catch {
    return [];
  }
};

test("before the first replay the list is empty, which is an answer", async () => {
  expect(await paycast("replay", "list")).toMatchObject({
    code: 0,
    out: "No replay was started in this folder.\n",
  });
});

test("what was delivered live comes again, byte for byte, and only to the one who asked", async () => {
  const paymentId = await operated.paidOrder("REPLAY-1");
  await operated.shop().act(paymentId, "refund", { amount: "4.10" });
  const live: Awaited<ReturnType<typeof received>> = [];
  await until("both events, and their delivery to be noted", async () => {
    live.push(...(await received(operated.target(), "order-history")));
    const types = live.map(({ type }) => type);
    const isThere = ["payment.order.success", "payment.refund.success"].every((type) =>
      types.includes(type),
    );
    const records = await scan(operated.target().clients.dynamodb, callbacks());
    return isThere && records.every(({ pending }) => pending === undefined) ? true : undefined;
  });
  for (const { replay } of live) expect(replay).toBeUndefined();
  await received(operated.target(), "analytics");
  const args = ["--to", "order-history", "--order", "REPLAY-1", "--yes"];
  const { code, out } = await paycast("replay", ...args);
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(
      new RegExp(`^Run \\S+: ${live.length} of ${live.length} events sent to order-history\\.\n$`),
    ),
  });
  const again = await received(operated.target(), "order-history");
  for (const { group } of live) {
    const ofGroup = (messages: typeof live) =>
      messages.filter((one) => one.group === group).map(({ body, type }) => ({ body, type }));
    expect(ofGroup(again)).toEqual(ofGroup(live));
  }
  expect(again).toHaveLength(live.length);
  for (const { replay } of again) expect(replay).toMatch(/^\d{8}-\d{6}-[0-9a-f]{6}$/);
  expect(await received(operated.target(), "analytics")).toEqual([]);
});

test("without --yes it only says what it would do", async () => {
  const hostile = "A\u001b[2J\u0007\u202eB";
  const { range, records } = await recorded(7, () => hostile);
  const before = filesOfRuns();
  const { code, out } = await paycast("replay", "--to", "analytics", ...range, "--rate", "2");
  expect(code).toBe(0);
  expect(out).toContain(
    "At most 7 events would be sent to analytics. At 2 a second it takes at least 4 s.",
  );
  expect(out).toMatch(/^payment\.order\.success +7$/m);
  expect(out).toContain("And 2 more.");
  expect(out).toContain("has not got for the first time yet are skipped");
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
  expect(await received(operated.target(), "analytics")).toEqual([]);
  expect(filesOfRuns()).toEqual(before);
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
  expect(out).toContain("1 event left out: the first delivery is still on its way.");
  expect(await paycastJson("replay", "--to", "analytics", ...order)).toMatchObject({
    events: 1,
    pending: 1,
  });
  const others = await paycast("replay", "--to", "order-history", ...order);
  expect(others.out).toMatch(/^2 events would be sent to order-history\./);
  expect(others.out).not.toContain("left out");
  const sent = await paycastJson("replay", "--to", "analytics", ...order, "--yes");
  expect(sent).toMatchObject({ events: 1, counts: { sent: 1, pending: 0 } });
  const alone = `${orderNo}-ALONE`;
  await record(operated.target(), { orderNo: alone, recordedAt, pending });
  expect(await paycast("replay", "--to", "analytics", "--order", alone)).toMatchObject({
    code: 1,
    out: expect.stringMatching(
      /^There is nothing to send to analytics\.\n1 event left out: the first delivery is/,
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
    out: "The filter of fulfilment leaves out everything that matches: 1 event.\n",
  });
});

test.each([
  [["--to", "analytics", "--type", "payment.cancel"], "--type must match an event: payment.order."],
  [["--to", "analytics", "--all", "--rate", "0"], "--rate must be at least 1."],
  [["--to", "analytics", "--all", "--rate", "501"], "--rate must be at most 500."],
  [
    ["--to", "analytics", "--since", "1h", "--until", "2h"],
    "The command must have a range of time that begins before its end,",
  ],
  [["--to", "nobody", "--all"], "The stack has no subscriber of that name."],
  [["everything"], "One argument does not belong to an option."],
  [["--resume", "../../local"], "There is no such run in"],
  [["--resume", "20261115-101026-3f9a2c"], "There is no such run in"],
])("%j is wrong usage", async (args, message) => {
  expect(await paycast("replay", ...args)).toMatchObject({
    code: 2,
    err: expect.stringContaining(message),
  });
});

test("60 events arrive complete, and the run says so in JSON", async () => {
  const { records, range } = await recorded(60);
  const args = ["--to", "order-history", ...range, "--rate", "500", "--yes"];
  const result = await paycastJson("replay", ...args);
  expect(result).toMatchObject({
    done: true,
    outcome: "finished",
    events: 60,
    counts: { sent: 60 },
  });
  const messages = await received(operated.target(), "order-history");
  expect(messages.map(({ body }) => body).sort()).toEqual(records.map(({ event }) => event).sort());
  const resumed = await paycast("replay", "--resume", result.run, "--yes");
  expect(resumed).toMatchObject({ code: 0, out: expect.stringContaining("The run is finished.") });
  expect(await received(operated.target(), "order-history")).toEqual([]);
});

test("a run that is killed goes on: nothing is missed, and nothing comes twice", async () => {
  const to = "order-history";
  const { records, range } = await recorded(30);
  const known = new Set((await listRuns(runs)).map(({ run }) => run));
  const args = ["replay", "--to", to, ...range, "--rate", "2", "--yes"];
  const { child, ended } = spawnPaycast(directory, ...args);
  const { run } = await until("a part to be sent", () => begunRun(known));
  child.kill("SIGKILL");
  await ended;
  const shown = await paycast("replay", "--resume", run);
  expect(shown.out).toMatch(/^Run \S+: \d+ of 30 events sent to /);
  expect(shown.out).toContain("Nothing was changed.");
  expect((await paycast("replay", "list")).out).toMatch(
    new RegExp(`^${run} +local +${to} +\\d+ of 30 +interrupted$`, "m"),
  );
  const resumed = await paycast("replay", "--resume", run, "--rate", "500", "--yes");
  expect(resumed).toMatchObject({ code: 0, out: expect.stringContaining("30 of 30 events") });
  const bodies = (await received(operated.target(), to)).map(({ body }) => body);
  expect(new Set(bodies)).toEqual(new Set(records.map(({ event }) => event)));
  expect(bodies).toHaveLength(records.length);
  const { runs: listed } = await paycastJson("replay", "list");
  expect(listed[0]).toMatchObject({ run, position: 30, target: { kind: "local" } });
});

test("Ctrl-C ends a run in order, and says how to go on", async () => {
  const { range } = await recorded(30);
  const known = new Set((await listRuns(runs)).map(({ run }) => run));
  const args = ["replay", "--to", "analytics", ...range, "--rate", "2", "--yes"];
  const { child, ended } = spawnPaycast(directory, ...args);
  const { run } = await until("the first batch", () => begunRun(known));
  child.kill("SIGINT");
  const { code, out } = await ended;
  const { position } = await loadRun(runs, run);
  expect({ code, out: out.toString() }).toEqual({
    code: 1,
    out: `Run ${run}: ${position} of 30 events sent to analytics.\nStopped. To go on: npx paycast replay --resume ${run} --yes\n`,
  });
  expect(await received(operated.target(), "analytics")).toHaveLength(position);
  const work = { stopped: AbortSignal.abort(), tell: () => undefined };
  const { act } = await send.plan(operated.target(), { resume: run }, work);
  const { data } = await act(operated.target(), work);
  expect(data).toMatchObject({ outcome: "stopped", done: false });
});

test("a queue that is gone is exit code 4, with what was sent and how to go on", async () => {
  const { range } = await recorded(1);
  const QueueUrl = operated
    .target()
    .subscribers.find(({ name }) => name === "fulfilment")!.queueUrl;
  await operated.target().clients.sqs.send(new DeleteQueueCommand({ QueueUrl }));
  const { code, err, out } = await paycast("replay", "--to", "fulfilment", ...range, "--yes");
  expect({ code, out }).toEqual({ code: 4, out: "" });
  expect(err).toMatch(
    /Run \S+: 0 of 1 event sent to fulfilment\. Then it failed: .+ To go on: npx paycast replay --resume \S+ --yes\n$/,
  );
  expect(JSON.parse(operated.auditLines().at(-1)!)).toMatchObject({
    act: "replay",
    subscriber: "fulfilment",
    events: 1,
    from: 0,
  });
});
