import { afterEach, describe, expect, test } from "vitest";
import { Clock, fastestSpeed } from "../../../tools/simulator/service/clock.ts";
import { runSimulator } from "./running-simulator.ts";
import { control } from "./storefront.ts";

describe("the clock", () => {
  let wallMilliseconds = 1_000_000;
  let clock: Clock;
  const errors: unknown[] = [];
  const done: string[] = [];

  function startClock(speed: number, wallNow = () => wallMilliseconds): void {
    clock = new Clock(speed, (error) => errors.push(error), wallNow, wallNow);
  }

  const plan = (milliseconds: number, name: string) =>
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
    clock.jump(60_000);
    plan(1000, "later");
    clock.change({ backToNow: true });
    expect(clock.nowMilliseconds()).toBe(wallMilliseconds);
    await clock.settled();
    expect(done).toEqual([]);
    clock.change({ backToNow: true });
    clock.jump(61_000);
    expect(clock.nowMilliseconds()).toBe(wallMilliseconds + 61_000);
    await clock.settled();
    expect(done).toEqual(["later"]);
  });

  test("the clock stands still at the end of the year 9999, and can go back", () => {
    startClock(fastestSpeed);
    wallMilliseconds += 1e12;
    clock.jump(1e300);
    expect(new Date(clock.nowMilliseconds()).toISOString()).toBe("9999-12-31T23:59:59.999Z");
    clock.change({ backToNow: true, speed: 1 });
    expect(clock.nowMilliseconds()).toBe(wallMilliseconds);
    expect(() => clock.setSpeed(fastestSpeed + 1)).toThrow("from 0 (stopped) to 1000000");
  });

  test("a jump runs the work that becomes due, in the order of the due times", async () => {
    startClock(0);
    plan(300, "third");
    plan(100, "first");
    plan(100, "second");
    plan(301, "too early");
    clock.jump(300);
    await clock.settled();
    expect(done).toEqual(["first", "second", "third"]);
  });

  test("the clock is settled when work is done, also work that this work started", async () => {
    startClock(0);
    clock.at(clock.nowMilliseconds(), async () => {
      await new Promise((resolve) => setImmediate(resolve));
      plan(0, "one");
    });
    await clock.settled();
    expect(done).toEqual(["one"]);
  });

  test("work that fails is reported, and the next work runs", async () => {
    startClock(0);
    clock.at(clock.nowMilliseconds(), () => {
      throw new Error("no");
    });
    plan(0, "still here");
    await clock.settled();
    expect([errors.length, done]).toEqual([1, ["still here"]]);
  });

  test("due work runs while time passes, and not after a stop", async () => {
    startClock(1_000_000, Date.now);
    plan(86_400_000, "a day later");
    await expect.poll(() => done).toEqual(["a day later"]);
    clock.stop();
    plan(0, "late");
    await clock.settled();
    expect(done).toHaveLength(1);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("the speed %d is refused", (speed) => {
    startClock(1);
    expect(() => clock.setSpeed(speed)).toThrow("speed");
  });
});

describe("the clock in the control API", () => {
  const running = runSimulator();
  const change = (body: object) => control(running.simulator, "POST", "/clock", body);
  const aheadSeconds = async () =>
    Number((await control(running.simulator, "GET", "/clock")).body["aheadSeconds"]);
  const year = 366 * 86_400;

  test.each([
    { jumpSeconds: 1e308 },
    { jumpSeconds: year + 1 },
    { jumpSeconds: -1 },
    { speed: 1e308 },
    { speed: 1_000_001 },
    { backToNow: "yes" },
    { aheadSeconds: -year - 1 },
  ])("refuses %j with a reason, and the clock goes on", async (body) => {
    const error = expect.stringContaining(Object.keys(body)[0]!);
    expect(await change(body)).toMatchObject({ status: 400, body: { error } });
    expect(Math.abs(await aheadSeconds())).toBeLessThan(3_600);
  });

  test("sets it back to real time", async () => {
    for (let steps = 0; steps < 3; steps += 1) await change({ jumpSeconds: year });
    expect(await aheadSeconds()).toBeGreaterThan(2.9 * year);
    expect((await change({ backToNow: true })).status).toBe(200);
    expect(Math.abs(await aheadSeconds())).toBeLessThan(60);
  });

  test.each([90, -90])("sets it %d seconds ahead of real time, and says so", async (seconds) => {
    const { body } = await change({ aheadSeconds: seconds, speed: 1 });
    expect(body["aheadSeconds"]).toBeCloseTo(seconds, 0);
    await change({ backToNow: true });
  });
});
