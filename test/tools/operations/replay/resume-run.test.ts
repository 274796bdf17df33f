import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { StoredEvent } from "../../../../tools/operations/records/read-records.ts";
import { loadRun } from "../../../../tools/operations/replay/run.ts";
import type { SendBatch } from "../../../../tools/operations/replay/send-batch.ts";
import { sendRun } from "../../../../tools/operations/replay/send-run.ts";
import { received, unwatched } from "./recorded-events.ts";
import { sequences, useReplays } from "./use-replays.ts";

const { operated, directory, send, prepare, recorded, watchedSender } = useReplays();

test("a queue that goes on refusing ends the run, and it goes on later where it was", async () => {
  const { range } = await recorded(1, 3);
  const { run } = await prepare("order-history", range);
  const { calls, really } = watchedSender("order-history", run);
  const refuseSecond: SendBatch = async (events) => {
    calls.push([...events]);
    if (events[0]?.sequence === 1) return await really(events);
    return [{ event: events[0]!, code: "InternalError", isLasting: false }];
  };
  const failed = await send(run, { sendBatch: refuseSecond, pause: async () => {} });
  expect(failed).toMatchObject({
    kind: "failed",
    run: { position: 1 },
    error: { code: "aws-refused", message: "SQS refused 1 of a batch's events: InternalError." },
  });
  expect(calls).toHaveLength(1 + 7);
  expect(await send(run)).toMatchObject({ kind: "finished", run: { counts: { sent: 3 } } });
  const messages = await received(operated.target(), "order-history");
  expect(sequences(messages)).toEqual({ "order 0": [1, 2, 3] });
});

test.each([
  [
    "a refused message",
    async (events: readonly StoredEvent[]) => [
      { event: events[0]!, code: "InvalidMessageContents", isLasting: true },
    ],
  ],
  [
    "a missing permission",
    async () => {
      throw Object.assign(new Error("no"), {
        name: "AccessDenied",
        $fault: "client",
        $metadata: {},
      });
    },
  ],
])("%s is not tried again: the next try would end the same", async (_case, sendBatch) => {
  const { range } = await recorded(1, 1);
  const { run } = await prepare("order-history", range);
  let calls = 0;
  const counting: SendBatch = async (events) => {
    calls += 1;
    return await sendBatch(events);
  };
  expect(await send(run, { sendBatch: counting })).toMatchObject({ kind: "failed" });
  expect(calls).toBe(1);
});

test("AWS that asks to slow down is obeyed", async () => {
  const { range } = await recorded(1, 1);
  const { run } = await prepare("order-history", range);
  const { sendBatch } = watchedSender("order-history", run);
  let calls = 0;
  const throttled: SendBatch = async (events) => {
    calls += 1;
    const error = { name: "RequestThrottled", $fault: "client", $metadata: {} };
    if (calls < 4) throw Object.assign(new Error("slow down"), error);
    return await sendBatch(events);
  };
  const deps = { sendBatch: throttled, pause: async () => {} };
  expect(await send(run, deps)).toMatchObject({ kind: "finished" });
});

test.each([
  ["order-history", 0],
  ["analytics", 10],
])(
  "a crash between sending and saving: %s gets nothing less, and %i events twice",
  async (to, twice) => {
    const { records, range } = await recorded(30, 1);
    const { run } = await prepare(to, range);
    const { calls, really } = watchedSender(to, run);
    const crashing: SendBatch = async (events) => {
      calls.push([...events]);
      await really(events);
      if (calls.length === 2) throw Object.assign(new Error("crash"), { $fault: "client" });
      return [];
    };
    expect(await send(run, { sendBatch: crashing })).toMatchObject({ run: { position: 10 } });
    expect(await send(run)).toMatchObject({ kind: "finished", run: { position: 30 } });
    const bodies = (await received(operated.target(), to)).map(({ body }) => body);
    expect(new Set(bodies)).toEqual(new Set(records.map(({ event }) => event)));
    expect(bodies).toHaveLength(30 + twice);
  },
);

test("Ctrl-C ends it after the batch that is under way, and it goes on later", async () => {
  const { range } = await recorded(30, 1);
  const { run } = await prepare("order-history", range);
  const stop = new AbortController();
  const deps = { stopped: stop.signal, onProgress: () => stop.abort() };
  expect(await send(run, deps)).toMatchObject({ kind: "stopped", run: { position: 10 } });
  expect(await received(operated.target(), "order-history")).toHaveLength(10);
  await send(run);
  expect(await received(operated.target(), "order-history")).toHaveLength(20);
});

test("a run that another process sends is left alone; the lock of a dead process is not", async () => {
  const { range } = await recorded(1, 1);
  const { run } = await prepare("order-history", range);
  const lock = join(directory, `${run}.lock`);
  writeFileSync(lock, String(process.pid));
  await expect(send(run)).rejects.toMatchObject({ code: "replay-not-resumable" });
  expect(await received(operated.target(), "order-history")).toEqual([]);
  writeFileSync(lock, "999999999");
  expect(await send(run)).toMatchObject({ kind: "finished" });
  expect(existsSync(lock)).toBe(false);
});

test("a run of another stack or account is not sent", async () => {
  const { range } = await recorded(1, 1);
  const { run } = await prepare("order-history", range);
  const subscribers = operated
    .target()
    .subscribers.map((one) => ({ ...one, queueUrl: one.queueUrl.replace("000000000000", "1") }));
  const elsewhere = { ...operated.target(), subscribers };
  const sending = sendRun(elsewhere, run, unwatched);
  await expect(sending).rejects.toMatchObject({ code: "replay-not-resumable" });
});

test("nothing is sent if the audit line cannot be written", async () => {
  const { range } = await recorded(1, 1);
  const { run } = await prepare("order-history", range);
  const audit = async () => {
    throw new Error("no audit");
  };
  const target = { ...operated.target(), audit };
  await expect(sendRun(target, run, unwatched)).rejects.toThrow("no audit");
  expect(await received(operated.target(), "order-history")).toEqual([]);
});

test("the audit line says what is sent to whom, each time that a run goes on", async () => {
  const { range, records } = await recorded(20, 1);
  const { run } = await prepare("order-history", range);
  const stop = new AbortController();
  await send(run, { stopped: stop.signal, onProgress: () => stop.abort() });
  await send(run);
  const lines = operated.auditLines().filter((line) => line.includes(run));
  const common = { act: "replay", subscriber: "order-history", events: 20, types: [], ids: [] };
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { ...common, run, from: 0, ...range },
    { ...common, run, from: 10, ...range },
  ]);
  expect(lines.join()).not.toContain(records[0]!.event);
});

test("a state that is not readable is an error, not a new beginning", async () => {
  const { range } = await recorded(1, 1);
  const { run } = await prepare("order-history", range);
  writeFileSync(join(directory, `${run}.json`), "{");
  await expect(loadRun(directory, run)).rejects.toMatchObject({ code: "replay-not-resumable" });
});

test.each([
  ["missing", (path: string) => rmSync(path)],
  ["cut off", (path: string) => truncateSync(path, statSync(path).size - 20)],
  [
    "short of a line",
    (path: string) => {
      const lines = readFileSync(path, "utf8").trimEnd().split("\n");
      writeFileSync(path, `${lines.slice(0, -1).join("\n")}\n`);
    },
  ],
])("a list of events that is %s never counts as finished", async (_case, spoil) => {
  const { range } = await recorded(3, 1);
  const { run } = await prepare("order-history", range);
  spoil(join(directory, `${run}.events`));
  const sent = await send(run);
  expect(sent).toMatchObject({ kind: "failed", error: { code: "replay-not-resumable" } });
});
