import { expect, test } from "vitest";
import { runSimulator } from "../running-simulator.ts";

const running = runSimulator();

async function change(body: unknown) {
  const answer = await fetch(`${running.simulator.url}/control/clock`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
}

const aheadMilliseconds = async () => {
  const answer = await fetch(`${running.simulator.url}/control/clock`);
  const { now } = (await answer.json()) as { now: string };
  return Date.parse(now) - Date.now();
};

const year = 366 * 86_400;

test.each([
  { stepSeconds: 1e308 },
  { stepSeconds: year + 1 },
  { stepSeconds: -1 },
  { speed: 1e308 },
  { speed: 1_000_001 },
  { backToNow: "yes" },
  { aheadSeconds: -year - 1 },
])("%j is refused with a reason, and the clock goes on", async (body) => {
  const refused = await change(body);
  expect(refused.status).toBe(400);
  expect(JSON.parse(refused.text).error).toContain(Object.keys(body)[0]);
  expect(Math.abs(await aheadMilliseconds())).toBeLessThan(3_600_000);
});

test("backToNow sets the clock to real time", async () => {
  for (let steps = 0; steps < 3; steps += 1) await change({ stepSeconds: year });
  expect(await aheadMilliseconds()).toBeGreaterThan(2.9 * year * 1_000);
  expect((await change({ backToNow: true })).status).toBe(200);
  expect(Math.abs(await aheadMilliseconds())).toBeLessThan(60_000);
});

test("aheadSeconds sets the clock to so far ahead or behind, and is told", async () => {
  for (const aheadSeconds of [90, -90]) {
    const { text } = await change({ aheadSeconds, speed: 1 });
    expect(JSON.parse(text).aheadSeconds).toBeCloseTo(aheadSeconds, 0);
  }
  await change({ backToNow: true });
});
