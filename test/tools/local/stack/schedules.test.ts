import { expect, test } from "vitest";
import { useStacks } from "./stack-fixture.ts";

const fixture = useStacks();
const printEvent = "export const handler = async (e) => console.log(JSON.stringify(e));";
const Arn = { "Fn::GetAtt": ["Fn", "Arn"] };
const rule = (ScheduleExpression: string) => ({
  Type: "AWS::Events::Rule",
  Properties: { ScheduleExpression, State: "ENABLED", Targets: [{ Arn, Id: "Target0" }] },
});
const lines = () =>
  fixture.events.flatMap((event) => (event.kind === "output" ? [JSON.parse(event.line)] : []));

test("a rule calls its function once per interval with EventBridge's event", async () => {
  await fixture.startFunction(printEvent, { Rule: rule("rate(2 minutes)") });
  const calls = () => fixture.events.filter(({ kind }) => kind === "schedule").length;
  await fixture.clock.jump(60_000);
  expect(calls()).toBe(0);
  await fixture.clock.jump(60_000);
  expect(calls()).toBe(1);
  await expect.poll(lines).toMatchObject([{ "detail-type": "Scheduled Event", detail: {} }]);
});

test.each([
  ["rate(1 minute)", 60],
  ["rate(1 hour)", 3_600],
  ["rate(1 day)", 86_400],
])("%s is every %i s", async (rate, seconds) => {
  await fixture.startFunction(printEvent, { Rule: rule(rate) });
  const calls = () => fixture.events.filter(({ kind }) => kind === "schedule").length;
  await fixture.clock.jump(seconds * 1_000 - 10_000);
  expect(calls()).toBe(0);
  await fixture.clock.jump(10_000);
  expect(calls()).toBe(1);
});

test("a schedule can be called at once: a second call waits for the first, and none overlap", async () => {
  const slow = `export const handler = async () => {
    console.log(JSON.stringify("begin"));
    await new Promise((done) => setTimeout(done, 100));
    console.log(JSON.stringify("end"));
  };`;
  const stack = await fixture.startFunction(slow, { Rule: rule("rate(2 minutes)") });
  const [schedule] = stack.schedules;
  const prepared: string[] = [];
  const tick = (name: string) => schedule!.tickNow(async () => void prepared.push(name));
  const jumped = fixture.clock.jump(120_000);
  await expect.poll(lines).toEqual(["begin"]);
  await tick("now");
  await jumped;
  // What a function prints may come later than its answer.
  await expect.poll(lines).toEqual(["begin", "end", "begin", "end"]);
  await expect(schedule!.tickNow(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await tick("again");
  expect(prepared).toEqual(["now", "again"]);
});

test("an unknown form of schedule is refused by name", async () => {
  const starting = fixture.startFunction(printEvent, { Nightly: rule("cron(0 3 * * ? *)") });
  await expect(starting).rejects.toThrow(/Nightly.*cron\(0 3/);
});
