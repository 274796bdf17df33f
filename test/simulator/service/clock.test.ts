import { afterEach, expect, test } from "vitest";
import { Clock, fastestSpeed } from "../../../simulator/service/clock.ts";

let wallMilliseconds = 1_000_000;
let clock: Clock;
const errors: unknown[] = [];
const done: string[] = [];

function startClock(speed: number, wallNow = () => wallMilliseconds): void {
  clock = new Clock(speed, (error) => errors.push(error), wallNow);
}

const after = (milliseconds: number, name: string) =>
  clock.at(clock.nowMilliseconds() + milliseconds, () => void done.push(name));

afterEach(() => {
  clock.stop();
  errors.length = 0;
  done.length = 0;
});

test("the clock starts at real time, and continues from its time when the speed changes", () => {
  const start = wallMilliseconds;
  startClock(10);
  wallMilliseconds += 1000;
  clock.setSpeed(0);
  wallMilliseconds += 5000;
  expect(clock.nowMilliseconds()).toBe(start + 10_000);
  clock.setSpeed(1);
  wallMilliseconds += 1;
  expect(clock.nowMilliseconds()).toBe(start + 10_001);
});

test("back to now is real time again, and what was planned for later waits for it", async () => {
  startClock(0);
  clock.change({ stepSeconds: 60 });
  after(1000, "later");
  clock.change({ backToNow: true });
  expect(clock.nowMilliseconds()).toBe(wallMilliseconds);
  await clock.settled();
  expect(done).toEqual([]);
  clock.change({ backToNow: true, stepSeconds: 61 });
  expect(clock.nowMilliseconds()).toBe(wallMilliseconds + 61_000);
  await clock.settled();
  expect(done).toEqual(["later"]);
});

test("the clock stands still at the end of the year 9999, and can go back", () => {
  startClock(fastestSpeed);
  wallMilliseconds += 1e12;
  clock.step(1e300);
  expect(new Date(clock.nowMilliseconds()).toISOString()).toBe("9999-12-31T23:59:59.999Z");
  clock.change({ backToNow: true, speed: 1 });
  expect(clock.nowMilliseconds()).toBe(wallMilliseconds);
  expect(() => clock.setSpeed(fastestSpeed + 1)).toThrow("from 0 (stopped) to 1000000");
});

test("a step runs the work that becomes due, in the order of the due times", async () => {
  startClock(0);
  after(300, "third");
  after(100, "first");
  after(100, "second");
  after(301, "too early");
  clock.step(300);
  await clock.settled();
  expect(done).toEqual(["first", "second", "third"]);
});

test("the clock is settled when work is done, also work that this work started", async () => {
  startClock(0);
  clock.at(clock.nowMilliseconds(), async () => {
    await new Promise((resolve) => setImmediate(resolve));
    after(0, "one");
  });
  await clock.settled();
  expect(done).toEqual(["one"]);
});

test("work that fails is reported, and the next work runs", async () => {
  startClock(0);
  clock.at(clock.nowMilliseconds(), () => {
    throw new Error("no");
  });
  after(0, "still here");
  await clock.settled();
  expect([errors.length, done]).toEqual([1, ["still here"]]);
});

test("due work runs while time passes, and not after a stop", async () => {
  startClock(1_000_000, Date.now);
  after(86_400_000, "a day later");
  await expect.poll(() => done).toEqual(["a day later"]);
  clock.stop();
  after(0, "late");
  await clock.settled();
  expect(done).toHaveLength(1);
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("the speed %d is refused", (speed) => {
  startClock(1);
  expect(() => clock.setSpeed(speed)).toThrow("speed");
});
