import { expect, test } from "vitest";
import { createMetricStore } from "../../../../tools/local/alarms/metric-store.ts";
import { readAlarm } from "../../../../tools/local/alarms/read-alarm.ts";
import { type AlarmWatch, watchAlarms } from "../../../../tools/local/alarms/watch-alarms.ts";
import { createStackClock, type StackClock } from "../../../../tools/local/clock/stack-clock.ts";

const minute = 60_000;
const startedAt = Date.UTC(2026, 10, 15, 8);
const metric = {
  namespace: "Paycast",
  name: "Broken",
  dimensions: { service: "receive-callback" },
};

const counting = {
  Namespace: "Paycast",
  MetricName: "Broken",
  Dimensions: [{ Name: "service", Value: "receive-callback" }],
  Statistic: "Sum",
  Period: 300,
  EvaluationPeriods: 1,
  Threshold: 2,
  ComparisonOperator: "GreaterThanOrEqualToThreshold",
  TreatMissingData: "notBreaching",
};
const silence = {
  ...counting,
  Statistic: "SampleCount",
  TreatMissingData: "breaching",
  Threshold: 99,
};

/** Watches one alarm, and writes down when it starts and ends. */
function watching(properties: object) {
  const clock = createStackClock(0, () => startedAt);
  const store = createMetricStore();
  const heard: string[] = [];
  let samples = 0;
  const watch = watchAlarms({
    alarms: [{ name: "Broken", description: "It is broken.", alarm: readAlarm(properties) }],
    store,
    clock,
    sampleQueues: () => {
      samples += 1;
    },
    changed: (_alarm, isRinging) => heard.push(`${isRinging ? "on" : "off"} ${minutesOf(clock)}`),
  });
  const count = (value: number) => store.write({ metric, atMilliseconds: clock.now(), value });
  return { clock, watch, heard, count, samples: () => samples };
}

const minutesOf = (clock: StackClock) => (clock.now() - startedAt) / minute;
const names = (watch: AlarmWatch) => watch.ringing().map(({ name }) => name);

test("an alarm starts at the minute after the count, is listed with its time, and ends", async () => {
  const { clock, watch, heard, count } = watching(counting);
  await clock.jump(5 * minute);
  count(1);
  count(1);
  expect(names(watch)).toEqual([]);
  await clock.jump(minute);
  expect(watch.ringing()).toEqual([
    { name: "Broken", description: "It is broken.", since: "2026-11-15T08:06:00.000Z" },
  ]);
  // CloudWatch reads two periods more than it evaluates, and takes the newest one with data.
  await clock.jump(15 * minute);
  expect(names(watch)).toEqual([]);
  expect(heard[0]).toBe("on 6");
  expect(heard).toHaveLength(2);
  watch.stop();
});

test("below the threshold nothing rings", async () => {
  const { clock, watch, heard, count } = watching(counting);
  count(1);
  await clock.jump(20 * minute);
  expect(heard).toEqual([]);
  watch.stop();
});

test("silence does not ring before a new stack could count, and then it does", async () => {
  const { clock, watch, heard } = watching(silence);
  await clock.jump(minute);
  expect(heard).toEqual([]);
  await clock.jump(5 * minute);
  expect(heard).toEqual(["on 2"]);
  watch.stop();
});

test("the queues are sampled every minute, and in a long jump silence rings only in its exact part", async () => {
  const { clock, watch, heard, samples } = watching(silence);
  await clock.jump(10 * minute);
  expect(samples()).toBe(10);
  heard.length = 0;
  await clock.jump(24 * 60 * minute);
  expect(heard).toEqual([]);
  expect(samples()).toBe(10 + 24 + 20);
  watch.stop();
});

test("values older than a day are forgotten, but not that there were some", async () => {
  const store = createMetricStore();
  store.write({ metric, atMilliseconds: startedAt, value: 5 });
  store.forgetBefore(startedAt + minute);
  expect(store.read(metric, 0, startedAt + minute)).toEqual([]);
  expect(store.read({ ...metric, name: "Other" }, 0, startedAt + minute)).toBeUndefined();
});
