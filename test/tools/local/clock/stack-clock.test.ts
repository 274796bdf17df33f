import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { createStackClock, type StackClock } from "../../../../tools/local/clock/stack-clock.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const startedAt = Date.UTC(2026, 0);

/** A part that is due at each interval, and writes down when it had its turn. */
function everyInterval(clock: StackClock, name: string, milliseconds: number, turns: string[]) {
  let nextAt = startedAt + milliseconds;
  clock.add({
    untilNextMilliseconds: () => Math.max(0, nextAt - clock.now()),
    moved: () => {
      if (clock.now() < nextAt) return;
      turns.push(`${name} ${Math.round((clock.now() - startedAt) / 1_000)}`);
      while (nextAt <= clock.now()) nextAt += milliseconds;
    },
    isQuiet: () => true,
  });
}

test("a jump moves the clock forward by exactly what was asked for", async () => {
  const clock = createStackClock(0, () => startedAt);
  await clock.jump(90_500);
  expect(clock.now()).toBe(startedAt + 90_500);
  expect(clock.ahead[0]).toBe(90_500);
});

test("a jump that fails does not stop the next one", async () => {
  const clock = createStackClock(0, () => startedAt);
  let isBroken = true;
  clock.add({
    untilNextMilliseconds: () => Number.POSITIVE_INFINITY,
    moved: () => {
      if (isBroken) throw new Error("broken");
    },
    isQuiet: () => true,
  });
  await expect(clock.jump(minute)).rejects.toThrow("broken");
  isBroken = false;
  await clock.jump(minute);
  expect(clock.now()).toBe(startedAt + 2 * minute);
});

test("what becomes due on the way happens in order, each at its time", async () => {
  const clock = createStackClock(0, () => startedAt);
  const turns: string[] = [];
  everyInterval(clock, "two minutes", 2 * minute, turns);
  everyInterval(clock, "three minutes", 3 * minute, turns);
  await clock.jump(6.5 * minute);
  expect(turns).toEqual([
    "two minutes 120",
    "three minutes 180",
    "two minutes 240",
    "two minutes 360",
    "three minutes 360",
  ]);
});

test("the last 20 minutes of a long jump pass minute by minute, the time before in 24 steps", async () => {
  const clock = createStackClock(0, () => startedAt);
  const turns: string[] = [];
  everyInterval(clock, "minute", minute, turns);
  await clock.jump(8 * day);
  const seconds = turns.map((turn) => Number(turn.split(" ")[1]));
  const exactFrom = (8 * day - hour / 3) / 1_000;
  expect(seconds.filter((second) => second > exactFrom)).toHaveLength(20);
  expect(seconds.filter((second) => second <= exactFrom)).toHaveLength(24);
});

test("a jump waits for functions that run, and functions wait until the clock has moved", async () => {
  const clock = createStackClock(0, () => startedAt);
  const seen: string[] = [];
  let finish = () => {};
  const first = clock.runFunction(async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    seen.push(`first ends ${clock.ahead[0]}`);
  });
  const jumped = clock.jump(minute);
  await wait(5);
  const second = clock.runFunction(async () => void seen.push(`second ${clock.ahead[0]}`));
  await wait(5);
  expect(seen).toEqual([]);
  finish();
  await Promise.all([first, jumped, second]);
  expect(seen).toEqual(["first ends 0", `second ${minute}`]);
});

test("a function that fails does not stop the clock", async () => {
  const clock = createStackClock(0, () => startedAt);
  const failing = clock.runFunction(async () => await Promise.reject(new Error("crashed")));
  await expect(failing).rejects.toThrow("crashed");
  await clock.jump(minute);
  expect(clock.ahead[0]).toBe(minute);
});

test("two jumps at once follow one another", async () => {
  const clock = createStackClock(0, () => startedAt);
  await Promise.all([clock.jump(minute), clock.jump(minute)]);
  expect(clock.ahead[0]).toBe(2 * minute);
});

test("the next step waits until what was due has been done", async () => {
  const clock = createStackClock(0, () => startedAt);
  const turns: string[] = [];
  let isBusy = false;
  clock.add({
    untilNextMilliseconds: () => minute,
    moved: () => {
      turns.push(isBusy ? "disturbed" : "started");
      isBusy = true;
      setTimeout(() => {
        isBusy = false;
      }, 20);
    },
    isQuiet: () => !isBusy,
  });
  await clock.jump(3 * minute);
  expect(turns).toEqual(["started", "started", "started"]);
});
