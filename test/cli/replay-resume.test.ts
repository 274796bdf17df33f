import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { listRuns, loadRun } from "../../operations/replay/run.ts";
import { until } from "../end-to-end/running-stack.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { received, recordedDay } from "../operations/replay/recorded-events.ts";

const operated = useOperatedStack();
const { paycast, paycastJson, directory } = operated;
const runs = join(directory, "replays");
const bin = fileURLToPath(new URL("../../cli/paycast.mjs", import.meta.url));

beforeEach(async () => {
  for (const { name } of operated.target().subscribers) await received(operated.target(), name);
});

const recorded = (count: number, orderNo?: (index: number) => string) =>
  recordedDay(operated.target(), count, orderNo);

describe("a run that is killed", () => {
  test.each([
    ["order-history", 0],
    ["analytics", 10],
  ])(
    "goes on: %s misses nothing and gets at most %i events twice",
    async (to, most) => {
      const { records, range } = await recorded(300);
      const known = new Set((await listRuns(runs)).map(({ run }) => run));
      const args = ["replay", "--to", to, ...range, "--rate", "20", "--yes"];
      const child = spawn(process.execPath, [bin, ...args], { stdio: "ignore" });
      const run = await until(
        "a part to be sent",
        async () =>
          (await listRuns(runs)).find(({ run, position }) => !known.has(run) && position >= 50)
            ?.run,
      );
      await killed(child);
      const shown = await paycast("replay", "--resume", run);
      expect(shown.out).toMatch(/^Run \S+: \d+ of 300 events sent to /);
      expect(shown.out).toContain("Nothing was changed.");
      expect((await paycast("replay", "list")).out).toMatch(
        new RegExp(`^${run} +local +${to} +\\d+ of 300 +interrupted$`, "m"),
      );
      const resumed = await paycast("replay", "--resume", run, "--rate", "500", "--yes");
      expect(resumed).toMatchObject({ code: 0, out: expect.stringContaining("300 of 300 events") });
      const bodies = (await received(operated.target(), to)).map(({ body }) => body);
      expect(new Set(bodies)).toEqual(new Set(records.map(({ event }) => event)));
      expect(bodies.length - records.length).toBeLessThanOrEqual(most);
      const { runs: listed } = await paycastJson("replay", "list");
      expect(listed[0]).toMatchObject({ run, position: 300, target: { kind: "local" } });
    },
    120_000,
  );
});

test("Ctrl-C ends a run in order, and says how to go on", async () => {
  const { range } = await recorded(300);
  const known = new Set((await listRuns(runs)).map(({ run }) => run));
  const args = ["replay", "--to", "analytics", ...range, "--rate", "20", "--yes"];
  const child = spawn(process.execPath, [bin, ...args], { stdio: ["ignore", "pipe", "ignore"] });
  const started = await until("the first batch", async () =>
    (await listRuns(runs)).find(({ run, position }) => !known.has(run) && position > 0),
  );
  const run = started.run;
  const [out, [code]] = await Promise.all([
    text(child.stdout),
    once(child, "exit"),
    child.kill("SIGINT"),
  ]);
  const { position } = await loadRun(runs, run);
  expect({ code, out }).toEqual({
    code: 1,
    out: `Run ${run}: ${position} of 300 events sent to analytics.\nStopped. To go on: npx paycast replay --resume ${run} --yes\n`,
  });
  expect(await received(operated.target(), "analytics")).toHaveLength(position);
});

async function killed(child: ChildProcess) {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

test("two operators at once: two runs, both complete", async () => {
  const { range } = await recorded(40, (index) => `order ${index % 4}`);
  const args = ["replay", "--to", "order-history", ...range, "--rate", "500", "--yes"];
  const results = await Promise.all([paycastJson(...args), paycastJson(...args)]);
  const messages = await received(operated.target(), "order-history");
  expect(messages).toHaveLength(80);
  for (const { run } of results) {
    const own = messages.filter(({ replay }) => replay === run);
    for (let order = 0; order < 4; order += 1) {
      const group = own.filter(({ event }) => event.subject === `order ${order}`);
      const sequences = group.map(({ event }) => Number(event.sequence));
      expect(sequences).toEqual(Array.from({ length: 10 }, (_, index) => order + 1 + index * 4));
    }
  }
});
