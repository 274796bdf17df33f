import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { alarmRules } from "../../infra/alarms/alarm-rules.ts";
import {
  deliveryPatienceMilliseconds,
  longestRetryMilliseconds,
  processTimeoutMilliseconds,
} from "../../shared/timing.ts";
import {
  alarmingOptions,
  descriptionOf,
  evaluate,
  runbookSection,
  shapeOf,
} from "./alarm-shapes.ts";
import { alarmTable, numbersOf } from "./alarm-table.ts";
import { everyOption } from "./every-option.ts";
import { plainId, resourcesOf, synthesizeTemplate } from "./stack-template.ts";

const template = synthesizeTemplate(alarmingOptions);
const alarms = resourcesOf(template, "AWS::CloudWatch::Alarm");
const runbook = readFileSync(new URL("../../docs/runbook.md", import.meta.url), "utf8");

function alarmNamed(id: string) {
  return alarms.find(([key]) => plainId(key) === id)![1];
}

describe("the alarms", () => {
  test("are those of the table, and no others", () => {
    const ids = alarms.map(([id]) => plainId(id)).sort();
    expect(ids).toEqual(alarmTable.map(([id]) => id).sort());
  });

  test("of a stack with every option are the same", () => {
    const every = resourcesOf(synthesizeTemplate(everyOption), "AWS::CloudWatch::Alarm");
    expect(every.map(([id]) => plainId(id)).sort()).toEqual(alarmTable.map(([id]) => id).sort());
  });

  test.each(alarmTable)(
    "%s of %s watches %j, with the numbers and the severity of its rule",
    (...row) => {
      const [id, section, watches] = row;
      const { severity } = alarmRules[section];
      const expected = { watches, ...numbersOf(id, section), severity, runbook: section };
      expect(shapeOf(alarmNamed(id))).toEqual(expected);
    },
  );

  test.each(alarms)(
    "%s rings at its threshold, after one period, and not for silence unless silence is a fault",
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
    "%s says what it means and what to do, and names a section of the runbook",
    (_case, alarm) => {
      expect(runbook).toContain(`\n## ${runbookSection(alarm)}\n`);
      const sentences = descriptionOf(alarm).split(/\.\s/);
      expect(sentences.length).toBeGreaterThanOrEqual(4);
      expect(descriptionOf(alarm).length).toBeLessThanOrEqual(1024);
    },
  );

  test("leave no section of the runbook without an alarm", () => {
    const sections = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(new Set(sections)).toEqual(new Set(alarms.map(([, alarm]) => runbookSection(alarm))));
  });

  test.each(["InboxAgeAlarm", "ProcessingWaitingAlarm"])(
    "%s rings only after an event was quarantined that its subscriber's queue refuses",
    (id) => {
      const { Threshold, Period } = alarmNamed(id).Properties;
      const patience = deliveryPatienceMilliseconds + longestRetryMilliseconds;
      expect(Threshold * 1000).toBeGreaterThan(patience + processTimeoutMilliseconds);
      // Each period sees a message that is given back at least once.
      expect(Period * 1000).toBeGreaterThan(2 * longestRetryMilliseconds);
    },
  );

  test("wait for a subscriber's queue as long as its config says", () => {
    const subscribers = [{ name: "nightly", types: ["*" as const], maxWaitMinutes: 1500 }];
    const stack = synthesizeTemplate({ subscribers });
    const found = resourcesOf(stack, "AWS::CloudWatch::Alarm");
    const nightly = found.find(([id]) => plainId(id) === "SubscribersnightlyAgeAlarm")![1];
    expect(nightly.Properties.Threshold).toBe(90_000);
    expect(descriptionOf(nightly)).toContain("waited 1500 minutes");
  });

  test("about a subscriber's dead letters do not claim that its consumer tried them", () => {
    const [name] = alarmTable.flatMap(([id]) => /^Subscribers\w+DeadLettersAlarm$/.exec(id) ?? []);
    const text = descriptionOf(alarmNamed(name!));
    expect(text).toContain("received an event 10 times and did not finish it");
    expect(text).toContain("it failed, hung or crashed");
    expect(text).toContain("Later events of its order may have overtaken it.");
  });
});

/** What an alarm's metrics counted. A metric that is not named never had data. */
type Counts = Record<string, number>;

const quiet: [rings: Counts[], isSilent: Counts[]] = [
  [{ counted: 3, good: 0 }],
  [{ counted: 2, good: 0 }, { counted: 30, good: 1 }, { counted: 0, good: 3 }, { counted: 3 }],
];
const ofAnswers: typeof quiet = [
  [{ failed: 1, answered: 4 }],
  [{ failed: 1, answered: 5 }, { failed: 2, answered: 2 }, { answered: 9 }],
];

test.each<[id: string, when: string, rings: Counts[], isSilent: Counts[]]>([
  [
    "IntakeRefusedAlarmM1",
    "a quarter of at least three callbacks of a merchant was refused",
    [
      { refused: 1, accepted: 3 },
      { refused: 3, accepted: 0 },
    ],
    [{ refused: 1, accepted: 4 }, { refused: 2, accepted: 0 }, { accepted: 10 }, { refused: 3 }],
  ],
  ["IntakeAllRefusedAlarmM1", "all callbacks of a quiet shop are refused", ...quiet],
  ["IntakeAllSourcesAlarm", "all callbacks of a quiet shop are refused", ...quiet],
  ["ReconciliationMissingCallbacksAlarmM2", "orders end and no callback comes", ...quiet],
  ["IntakeOutdatedKeysAlarmM1", "only outdated keys verify callbacks", ...quiet],
  ["StorefrontFaultsAlarmcreateorder", "a quarter of at least three answers failed", ...ofAnswers],
  ["StorefrontRefusedAlarm", "a quarter of at least three answers failed", ...ofAnswers],
  [
    "HttpClientErrorsAlarm",
    "half of at least a hundred requests were refused",
    [{ refused: 50, requests: 100 }],
    [
      { refused: 49, requests: 100 },
      { refused: 99, requests: 99 },
    ],
  ],
  [
    "HttpServerErrorsAlarm",
    "a quarter of at least three requests failed",
    [{ failed: 1, requests: 4 }],
    [
      { failed: 1, requests: 5 },
      { failed: 2, requests: 2 },
    ],
  ],
  [
    "ReconciliationFailingAlarm",
    "half of at least three questions had no usable answer, whatever the reason",
    [
      { asked: 6, failed: 1, refused: 1, unreadable: 1 },
      ...[{ failed: 3 }, { refused: 3 }, { unreadable: 3 }].map((all) => ({
        asked: 3,
        failed: 0,
        refused: 0,
        unreadable: 0,
        ...all,
      })),
    ],
    [
      { asked: 7, failed: 1, refused: 1, unreadable: 1 },
      ...[{ failed: 2 }, { refused: 2 }, { unreadable: 2 }].map((all) => ({
        asked: 2,
        failed: 0,
        refused: 0,
        unreadable: 0,
        ...all,
      })),
      { asked: 100 },
    ],
  ],
  [
    "StorefrontQueryOrderErrors",
    "it crashed or was throttled",
    [
      { throttles: 1, errors: 0 },
      { throttles: 0, errors: 1 },
    ],
    [],
  ],
])("%s rings when %s", (id, _case, rings, isSilent) => {
  const alarm = alarmNamed(id);
  const doesRing = (counts: Counts) =>
    (evaluate(alarm, counts) ?? -1) >= alarm.Properties.Threshold;
  expect(rings.filter((counts) => !doesRing(counts))).toEqual([]);
  expect([{}, ...isSilent].filter(doesRing)).toEqual([]);
});
