import { afterEach, expect, test } from "vitest";
import { Clock } from "../../../simulator/service/clock.ts";

let wallMilliseconds = 1_000_000;
let clock: Clock;
const errors: unknown[] = [];

function newClock(speed: number): Clock {
  clock = new Clock(
    speed,
    (error) => errors.push(error),
    () => wallMilliseconds,
  );
  return clock;
}

afterEach(() => {
  clock.stop();
  errors.length = 0;
});

test("passes as fast as it was told, from the wall clock's time on", () => {
  newClock(60);
  expect(clock.nowMilliseconds()).toBe(wallMilliseconds);
  const start = wallMilliseconds;
  wallMilliseconds += 1000;
  expect(clock.nowMilliseconds()).toBe(start + 60_000);
});

test("goes on from where it is when its speed changes, and stands still at 0", () => {
  newClock(10);
  const start = wallMilliseconds;
  wallMilliseconds += 1000;
  clock.setSpeed(0);
  wallMilliseconds += 5000;
  expect(clock.nowMilliseconds()).toBe(start + 10_000);
  clock.setSpeed(1);
  wallMilliseconds += 1;
  expect(clock.nowMilliseconds()).toBe(start + 10_001);
});

test("runs what a step passes over in the order it was due, and nothing later", async () => {
  newClock(0);
  const done: string[] = [];
  clock.at(clock.nowMilliseconds() + 300, () => void done.push("third"));
  clock.at(clock.nowMilliseconds() + 100, () => void done.push("first"));
  clock.at(clock.nowMilliseconds() + 100, () => void done.push("second"));
  clock.at(clock.nowMilliseconds() + 301, () => void done.push("too early"));
  clock.step(300);
  await clock.settled();
  expect(done).toEqual(["first", "second", "third"]);
});

test("is settled only when work is done, and the work that it brought about", async () => {
  newClock(0);
  const done: string[] = [];
  clock.at(clock.nowMilliseconds(), async () => {
    await new Promise((resolve) => setImmediate(resolve));
    done.push("one");
    clock.at(clock.nowMilliseconds(), () => void done.push("two"));
  });
  await clock.settled();
  expect(done).toEqual(["one", "two"]);
});

test("reports work that fails and goes on", async () => {
  newClock(0);
  const done: string[] = [];
  clock.at(clock.nowMilliseconds(), () => {
    throw new Error("no");
  });
  clock.at(clock.nowMilliseconds(), () => void done.push("still here"));
  await clock.settled();
  expect([errors.length, done]).toEqual([1, ["still here"]]);
});

test("runs due work by itself while time passes", async () => {
  clock = new Clock(1_000_000, (error) => errors.push(error));
  const done = new Promise<void>((resolve) =>
    clock.at(clock.nowMilliseconds() + 86_400_000, resolve),
  );
  await expect(done).resolves.toBeUndefined();
});

test("does nothing more once it is stopped", async () => {
  newClock(0);
  const done: string[] = [];
  clock.at(clock.nowMilliseconds() + 1, () => void done.push("late"));
  clock.stop();
  clock.step(10);
  await clock.settled();
  expect(done).toEqual([]);
});

test.each([[-1], [Number.NaN], [Number.POSITIVE_INFINITY]])("refuses the speed %d", (speed) => {
  newClock(1);
  expect(() => clock.setSpeed(speed)).toThrow("speed");
});
