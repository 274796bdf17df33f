import { expect, test } from "vitest";
import { alarmingOptions, descriptionOf } from "../../../infra/alarm-shapes.ts";
import { resourcesOf, synthesizeTemplate } from "../../../infra/stack-template.ts";
import { soundAlarm, stackName, useDeployedStack } from "../deployed-stack.ts";
import { useTarget } from "../use-target.ts";

const operated = useTarget();
const deployed = useDeployedStack(operated);
const status = () => operated.paycast("status", "--stack", stackName);

const ringing = (name: string, severity: string, minute: number) => ({
  ...soundAlarm(name),
  StateValue: "ALARM",
  StateTransitionedTimestamp: Date.parse(`2026-11-16T02:${minute}:00Z`) / 1_000,
  AlarmDescription: `It is ${name}. Do something. Begin with: npx paycast check. Severity: ${severity}. Runbook: docs/runbook.md#of-${severity}`,
});

test("a deployed stack on which no alarm rings is well, whatever was counted", async () => {
  deployed().metrics.set("NotStored", 9).set("NotAuthentic", 99).set("ServiceRefused", 9);
  const { out, code } = await status();
  expect(out).toContain("No active alarms.\n");
  expect(out).not.toContain("The payment service rejected");
  expect(code).toBe(0);
});

test("the alarms of this stack that ring are listed, most severe first, then newest first", async () => {
  deployed().alarms = [
    ringing(`${stackName}-Early-1A2B`, "morning", 10),
    ringing(`${stackName}-Old-1A2B`, "wake", 20),
    ringing(`${stackName}-New-1A2B`, "wake", 30),
    ringing(`${stackName}-Staging-Other-1A2B`, "wake", 40),
    soundAlarm(`${stackName}-Silent-1A2B`),
  ];
  const { out, code } = await status();
  expect(
    out.split("\n").filter((line) => /^(Alarm| {2}Begin with| {2}Runbook)/.test(line)),
  ).toEqual([
    `Alarm (wake) of-wake, since 2026-11-16T02:30:00Z: It is ${stackName}-New-1A2B. Do something.`,
    `  Begin with: npx paycast check --stack ${stackName}`,
    "  Runbook: docs/runbook.md#of-wake",
    `Alarm (wake) of-wake, since 2026-11-16T02:20:00Z: It is ${stackName}-Old-1A2B. Do something.`,
    `  Begin with: npx paycast check --stack ${stackName}`,
    "  Runbook: docs/runbook.md#of-wake",
    `Alarm (morning) of-morning, since 2026-11-16T02:10:00Z: It is ${stackName}-Early-1A2B. Do something.`,
    `  Begin with: npx paycast check --stack ${stackName}`,
    "  Runbook: docs/runbook.md#of-morning",
  ]);
  expect(code).toBe(1);
});

test("alarms that cannot be read are a problem, and the rest is shown", async () => {
  deployed().denied.add("cloudwatch:DescribeAlarms");
  const { out, code } = await status();
  expect(out).toMatch(/The alarms cannot be read\. .*cloudwatch:DescribeAlarms/);
  expect(out).toMatch(/^inbox +0 waiting$/m);
  expect(code).toBe(1);
});

test.each([
  ["of the repository", "docs/runbook.md"],
  ["that the config names", "https://wiki.example.com/runbook"],
])(
  "each alarm of the template says its severity, its command and its section %s",
  async (_case, runbook) => {
    const options = runbook.startsWith("https") ? { alarms: { runbookUrl: runbook } } : {};
    const template = synthesizeTemplate({ ...alarmingOptions, ...options });
    const alarms = resourcesOf(template, "AWS::CloudWatch::Alarm");
    deployed().alarms = alarms.map(([id, alarm]) => ({
      ...ringing(`${stackName}-${id}`, "wake", 10),
      AlarmDescription: descriptionOf(alarm),
    }));
    const { alarms: read } = await operated.paycastJson("status", "--stack", stackName);
    expect(read).toHaveLength(alarms.length);
    for (const alarm of read) {
      expect(alarm).toMatchObject({
        severity: expect.stringMatching(/^(wake|morning)$/),
        section: expect.stringMatching(/^[a-z-]+$/),
        runbook: `${runbook}#${alarm.section}`,
        command: expect.stringMatching(new RegExp(`^npx paycast [a-z].* --stack ${stackName}$`)),
      });
      expect(alarm.text).not.toMatch(/Begin with|Severity|Runbook|Dashboard/);
    }
  },
);
