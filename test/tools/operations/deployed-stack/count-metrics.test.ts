import type { CloudWatchClient, GetMetricDataCommandInput } from "@aws-sdk/client-cloudwatch";
import { expect, test } from "vitest";
import { countInCloudWatch } from "../../../../tools/operations/deployed-stack/count-metrics.ts";
import { keepAMinute, rangeNames, ranges } from "../../../../tools/operations/ports/metrics.ts";

const now = Date.parse("2026-11-15T10:07:30Z");
const accepted = { service: "receive-callback", name: "Accepted" };

/** CloudWatch: one was counted in each period, the latest first. */
function cloudWatch(asked: GetMetricDataCommandInput[]) {
  return {
    send: async ({ input }: { input: GetMetricDataCommandInput }) => {
      asked.push(input);
      const seconds = input.MetricDataQueries?.[0]?.MetricStat?.Period ?? 0;
      const [start, end] = [input.StartTime, input.EndTime].map((time) => Number(time) / 1000);
      const Timestamps: Date[] = [];
      for (let at = start!; at < end!; at += seconds) Timestamps.unshift(new Date(at * 1000));
      return { MetricDataResults: [{ Id: "m0", Timestamps, Values: Timestamps.map(() => 1) }] };
    },
  };
}

test.each(rangeNames)(
  "a range of %s is asked for in whole steps, and at most a hundred of them",
  async (name) => {
    const asked: GetMetricDataCommandInput[] = [];
    const client = cloudWatch(asked) as unknown as CloudWatchClient;
    const read = countInCloudWatch({ client, functions: [] }, () => now);
    const counted = (await read([accepted], ranges[name]))(accepted);
    const { steps, stepMinutes } = ranges[name];
    expect(steps).toBeLessThanOrEqual(100);
    expect(counted).toMatchObject({ total: steps, perStep: Array(steps).fill(1) });
    expect(counted.since % (stepMinutes * 60_000)).toBe(0);
    const [first, ...others] = asked;
    expect(others).toEqual([]);
    expect(first?.MetricDataQueries?.[0]?.MetricStat?.Period).toBe(stepMinutes * 60);
    expect(first?.StartTime).toEqual(new Date(counted.since));
    expect(Number(first?.EndTime)).toBeGreaterThan(now);
  },
);

function asker() {
  let now = 0;
  let asked = 0;
  const keep = keepAMinute<number>(() => now);
  return {
    ask: (question: string) => keep(question, async () => ++asked),
    fail: (question: string) => keep(question, () => Promise.reject(new Error("throttled"))),
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

test("one question a minute, however many ask it, also at the same time", async () => {
  const { ask, wait } = asker();
  expect(await Promise.all([ask("a"), ask("a"), ask("b")])).toEqual([1, 1, 2]);
  wait(59_999);
  expect(await ask("a")).toBe(1);
  wait(1);
  expect(await ask("a")).toBe(3);
});

test("a failure is reported, and not kept", async () => {
  const { ask, fail } = asker();
  await expect(fail("a")).rejects.toThrow("throttled");
  expect(await ask("a")).toBe(1);
});
