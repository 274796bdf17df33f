import { expect, test } from "vitest";
import sample from "../../../infra/paycast.config.json" with { type: "json" };
import { alarmingOptions, runbookSection } from "../../infra/alarm-shapes.ts";
import { plainId, resourcesOf, synthesizeTemplate } from "../../infra/stack-template.ts";
import { allWalks, firstWalks } from "./walks.ts";

const template = synthesizeTemplate({
  ...(sample as Parameters<typeof synthesizeTemplate>[0]),
  ...alarmingOptions,
});
const alarms = resourcesOf(template, "AWS::CloudWatch::Alarm");

/** The walks' merchant has another name. */
const nameOf = (id: string) => plainId(id).replace("DemoMerchant", "shop1");

test("each alarm of the sample config and of the options that add some rings and ends in a walk", () => {
  const walked = new Set(allWalks.flatMap((walk) => walk.alarms));
  expect([...walked].toSorted()).toEqual(alarms.map(([id]) => nameOf(id)).toSorted());
});

test("each section of the runbook that an alarm leads to has a walk", () => {
  const sections = alarms.map(([, alarm]) => runbookSection(alarm));
  const byAlarm = new Map(alarms.map(([id, alarm]) => [nameOf(id), runbookSection(alarm)]));
  const walked = allWalks.flatMap((walk) => walk.alarms.map((alarm) => byAlarm.get(alarm)));
  expect(new Set(walked)).toEqual(new Set(sections));
  for (const { alarms: own, section } of allWalks) {
    expect(own.map((alarm) => byAlarm.get(alarm))).toContain(section);
  }
});

test("npm test takes three of the walks", () => {
  expect(firstWalks).toHaveLength(3);
  expect(allWalks).toEqual(expect.arrayContaining([...firstWalks]));
});
