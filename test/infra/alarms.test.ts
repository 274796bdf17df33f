import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { alarmRules } from "../../infra/alarms/alarm-rules.ts";
import {
  deliveryPatienceMilliseconds,
  longestRetryMilliseconds,
  processTimeoutMilliseconds,
} from "../../shared/timing.ts";
import { commands } from "../../tools/cli/commands.ts";
import { ownWords } from "../tools/console/unexplained-words.ts";
import { alarmingOptions, descriptionOf, runbookSection, shapeOf } from "./alarm-shapes.ts";
import { alarmTable } from "./alarm-table.ts";
import { everyOption } from "./every-option.ts";
import { plainId, resourcesOf, synthesizeTemplate } from "./stack-template.ts";

const template = synthesizeTemplate(alarmingOptions);
const alarms = resourcesOf(template, "AWS::CloudWatch::Alarm");
/** As long as the config accepts, with characters that are special in a replacement. */
const runbookUrl = `https://wiki.example.com/$&${"r".repeat(173)}`;
const runbook = readFileSync(new URL("../../docs/runbook.md", import.meta.url), "utf8");

function alarmNamed(id: string) {
  return alarms.find(([key]) => plainId(key) === id)![1];
}

describe("the alarms", () => {
  test("are those of the table, and no others", () => {
    const ids = alarms.map(([id]) => plainId(id)).sort();
    expect(ids).toEqual(alarmTable.map(([id]) => id).sort());
  });

  test("of a stack with every option are the same, and those that end a rollout", () => {
    const every = resourcesOf(synthesizeTemplate(everyOption), "AWS::CloudWatch::Alarm");
    const rollout = ["IntakeRolloutErrors", "IntakeRolloutNotStored"];
    const ids = alarmTable.map(([id]) => id);
    expect(every.map(([id]) => plainId(id)).sort()).toEqual([...ids, ...rollout].sort());
  });

  test.each(alarms)("%s says what is wrong without words of our own", (_id, alarm) => {
    // Flow always explains "attention"; dead letters are AWS's word.
    const { attention: _person, "dead letters": _letters, ...words } = ownWords;
    const [meaning = ""] = descriptionOf(alarm).split(" Runbook:");
    const text = meaning.replaceAll("reconcile-orders", "the function");
    const used = Object.values(words).flatMap((word) => word.exec(text)?.[0] ?? []);
    expect(used).toEqual([]);
  });

  test.each(alarmTable)("%s of %s watches %j, with the severity of its rule", (...row) => {
    const [id, section, watches] = row;
    const { severity } = alarmRules[section];
    const shape = shapeOf(alarmNamed(id));
    expect(shape).toMatchObject({ watches: [...watches].sort(), severity, runbook: section });
  });

  test.each(alarms)(
    "%s rings after one period, and not for silence unless silence is a fault",
    (id, alarm) => {
      // Each run writes these metrics. Without them, the schedule does not run.
      const whenMissing: Record<string, string> = {
        ReconciliationLateAlarm: "breaching",
        AttentionSilenceAlarm: "breaching",
        // A missing count does not mean that anything was settled.
        AttentionNeededAlarm: "ignore",
      };
      expect(alarm.Properties).toMatchObject({
        ComparisonOperator: "GreaterThanOrEqualToThreshold",
        EvaluationPeriods: 1,
        TreatMissingData: whenMissing[plainId(id)] ?? "notBreaching",
      });
      expect(alarm.Properties.DatapointsToAlarm ?? 1).toBe(1);
    },
  );

  test.each(alarms)(
    "%s says what it means and which command to begin with, and names a section of the runbook",
    (_case, alarm) => {
      expect(runbook).toContain(`\n## ${runbookSection(alarm)}\n`);
      const description = descriptionOf(alarm);
      expect(description.length).toBeLessThanOrEqual(1024);
      const [, command] = / Begin with: npx paycast ([a-z-]+)[^.]*\. Severity: /.exec(description)!;
      expect(commands.map(({ name }) => name)).toContain(command);
    },
  );

  test.each(resourcesOf(synthesizeTemplate({ alarms: { runbookUrl } }), "AWS::CloudWatch::Alarm"))(
    "%s links to its section of the runbook that the config names",
    (id, alarm) => {
      const description = descriptionOf(alarm);
      const [, before] = alarms.find(([other]) => other === id)!;
      const section = runbookSection(before);
      expect(description).toContain(` Runbook: ${runbookUrl}#${section} Dashboard: `);
      expect(description).not.toContain("docs/runbook.md");
      expect(description.length).toBeLessThanOrEqual(1024);
    },
  );

  test("watch no more metrics than CloudWatch takes, however many queues there are", () => {
    const subscribers = Array.from({ length: 12 }, (_item, index) => {
      return { name: `team-${index}`, types: ["*" as const] };
    });
    const many = resourcesOf(synthesizeTemplate({ subscribers }), "AWS::CloudWatch::Alarm");
    const sizes = many.map(([, alarm]) => shapeOf(alarm).watches.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
    const expiring = many.filter(([, alarm]) => runbookSection(alarm) === "dead-letters-expiring");
    expect(expiring.flatMap(([, alarm]) => shapeOf(alarm).watches)).toHaveLength(13);
  });

  test("leave no section of the runbook without an alarm", () => {
    const sections = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(new Set(sections)).toEqual(new Set(alarms.map(([, alarm]) => runbookSection(alarm))));
  });

  test.each([
    ["InboxQueueAlarm", "age"],
    ["ProcessingTriedAlarm", "waiting"],
  ])(
    "%s rings only after an event was given up that its subscriber's queue refuses",
    (id, name) => {
      const { Metrics } = alarmNamed(id).Properties;
      const [{ Expression }, { MetricStat }] = Metrics;
      const limit = Number(new RegExp(`\\(${name} >= (\\d+)\\)`).exec(Expression)?.[1]);
      const patience = deliveryPatienceMilliseconds + longestRetryMilliseconds;
      expect(limit * 1000).toBeGreaterThan(patience + processTimeoutMilliseconds);
      // Each period sees a message that is returned to the queue at least once.
      expect(MetricStat.Period * 1000).toBeGreaterThan(2 * longestRetryMilliseconds);
    },
  );

  test("wait for a subscriber's queue as long as its config says", () => {
    const subscribers = [{ name: "nightly", types: ["*" as const], maxWaitMinutes: 1500 }];
    const stack = synthesizeTemplate({ subscribers });
    const found = resourcesOf(stack, "AWS::CloudWatch::Alarm");
    const nightly = found.find(([id]) => plainId(id) === "SubscribersnightlyQueueAlarm")![1];
    expect(nightly.Properties.Metrics[0].Expression).toContain("(age >= 90000)");
    expect(descriptionOf(nightly)).toContain("waited 1500 minutes");
  });

  test("about a subscriber's dead letters do not claim that its consumer tried them", () => {
    const text = descriptionOf(alarmNamed("SubscribersfulfilmentQueueAlarm"));
    expect(text).toContain("received an event 10 times without finishing it");
    expect(text).toContain("it failed, hung or crashed");
    expect(text).toContain("later events of the order may have overtaken it");
  });
});
