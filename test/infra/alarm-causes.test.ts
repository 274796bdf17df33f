import { expect, test } from "vitest";
import { evaluateAlarm } from "../../tools/local/alarms/evaluate-alarm.ts";
import { keyOf } from "../../tools/local/alarms/metric.ts";
import { readAlarm } from "../../tools/local/alarms/read-alarm.ts";
import type { WrittenMetric } from "../../tools/local/alarms/read-embedded-metrics.ts";
import { memoryMetrics } from "../tools/local/alarms/memory-metrics.ts";
import {
  accepted,
  attention,
  aws,
  counted,
  createdOne,
  createFailed,
  createRefused,
  forged,
  fromElsewhere,
  givenBack,
  keysProblem,
  news,
  noticeNotWritten,
  notStored,
  now,
  outdatedKeys,
  queryCrashed,
  queryUnanswered,
  ran,
  stampKeyProblem,
  withoutStamp,
} from "./alarm-causes.ts";
import { alarmingOptions } from "./alarm-shapes.ts";
import { alarmTable } from "./alarm-table.ts";
import { propertiesOf, stackInWords } from "./stack-template.ts";

const alarms = propertiesOf(stackInWords(alarmingOptions), "AWS::CloudWatch::Alarm");
const minute = 60_000;
const tenDays = 864_000;

type Writes = WrittenMetric[] | Promise<WrittenMetric[]>;
const times = (count: number, write: () => Writes): Writes[] =>
  Array.from({ length: count }, write);

/** A cause, what is written when it is there, and what is written when it is not quite. */
type Cause = readonly [
  alarm: string,
  cause: string,
  minutes: number,
  rings: () => Writes[],
  isSilent: () => Writes[],
];

const oldest = (queue: string, seconds: number) =>
  aws("SQS", "ApproximateAgeOfOldestMessage", queue, seconds);
const letters = (queue: string, count: number) =>
  aws("SQS", "ApproximateNumberOfMessagesVisible", queue, count);
const requests = (count: number, failed: number) => [
  aws("ApiGateway", "Count", "HttpApi", count),
  aws("ApiGateway", "5xx", "HttpApi", failed),
];
const asked = (failed: number, kind: string) => {
  const results = Array.from({ length: 6 }, (_item, index) => (index < failed ? kind : "news"));
  return [ran({ results: results as never })];
};

const ofQueue = (alarm: string, queue: string): Cause[] => [
  [alarm, "age", 5, () => [oldest(`${queue}Queue`, 900)], () => [oldest(`${queue}Queue`, 899)]],
  [
    alarm,
    "dead letters",
    5,
    () => [letters(`${queue}DeadLetters`, 1)],
    () => [letters(`${queue}DeadLetters`, 0)],
  ],
];

const expiring = ["InboxMessages", "Subscribersfulfilment", "Subscribersanalytics"].map(
  (queue): Cause => [
    "ExpiringAlarm",
    queue,
    5,
    () => [oldest(`${queue}DeadLetters`, tenDays)],
    () => [oldest(`${queue}DeadLetters`, tenDays - 1)],
  ],
);

const functionIds = Object.keys(propertiesOf(stackInWords(), "AWS::Lambda::Function"));
const ofFunctions = functionIds.flatMap((id): Cause[] =>
  [
    ["FunctionErrorsAlarm", "Errors"],
    ["ThrottlesAlarm", "Throttles"],
  ].map(([alarm = "", name = ""]) => [
    alarm,
    id,
    5,
    () => [aws("Lambda", name, id, 1)],
    () => [aws("Lambda", name, id, 0)],
  ]),
);

const services = ["receive-callback", "process-callback", "create-order", "query-order"];
const ofKeys = [...services, "reconcile-orders"].map(
  (service): Cause => [
    "KeysAlarm",
    service,
    5,
    () => [keysProblem(service)],
    () => [keysProblem(service, "previous")],
  ],
);

const causes: Cause[] = [
  ...(["quarantined", "undeliverable", "shortened-number"] as const).map(
    (kind): Cause => [
      "AttentionNewAlarm",
      kind,
      5,
      () => [attention(kind, 15)],
      () => [attention(kind, 16), attention("mismatch", 0)],
    ],
  ),
  [
    "AttentionNewAlarm",
    "no notice",
    5,
    () => [noticeNotWritten()],
    () => [createdOne(), counted()],
  ],
  ["AttentionNeededAlarm", "an old one", 5, () => [attention("conflict", 9999)], () => [counted()]],
  ["AttentionSilenceAlarm", "no count", 15, () => [], () => [counted()]],
  ...ofQueue("InboxQueueAlarm", "InboxMessages"),
  ["ProcessingTriedAlarm", "waiting", 5, () => [givenBack(900)], () => [givenBack(899)]],
  ["ProcessingTriedAlarm", "no stamp", 5, () => [withoutStamp()], () => [givenBack(0)]],
  [
    "IntakeRefusedAlarmM1",
    "a quarter refused",
    15,
    () => [forged(), ...times(3, accepted)],
    () => [forged(), ...times(4, accepted)],
  ],
  ["IntakeRefusedAlarmM1", "all refused", 15, () => times(3, forged), () => times(2, forged)],
  ["IntakeAllRefusedAlarmM1", "all refused", 360, () => times(3, forged), () => times(2, forged)],
  [
    "IntakeAllRefusedAlarmM1",
    "none accepted",
    360,
    () => times(30, forged),
    () => [...times(30, forged), accepted()],
  ],
  ["IntakeMissingAlarmM1", "missing", 360, () => [news(3)], () => [news(2)]],
  ["IntakeMissingAlarmM1", "none accepted", 360, () => [news(30)], () => [news(30), accepted()]],
  [
    "IntakeMissingAlarmM1",
    "outdated keys",
    360,
    () => times(3, () => accepted(outdatedKeys)),
    () => times(2, () => accepted(outdatedKeys)),
  ],
  [
    "IntakeMissingAlarmM1",
    "only outdated keys",
    360,
    () => times(30, () => accepted(outdatedKeys)),
    () => [...times(30, () => accepted(outdatedKeys)), accepted()],
  ],
  ["IntakeSourcesAlarm", "addresses", 360, () => times(3, fromElsewhere), () => times(2, forged)],
  [
    "IntakeSourcesAlarm",
    "half of them",
    360,
    () => [...times(3, fromElsewhere), ...times(3, accepted)],
    () => [...times(3, fromElsewhere), ...times(4, accepted)],
  ],
  ["IntakeNotStoredAlarm", "all", 15, () => times(3, notStored), () => times(2, notStored)],
  [
    "IntakeNotStoredAlarm",
    "a quarter",
    15,
    () => [notStored(), ...times(3, accepted)],
    () => [notStored(), ...times(4, accepted)],
  ],
  ["HttpServerErrorsAlarm", "a quarter", 15, () => requests(4, 1), () => requests(5, 1)],
  ["HttpServerErrorsAlarm", "all of three", 15, () => requests(3, 3), () => requests(2, 2)],
  ...ofKeys,
  ["KeysAlarm", "the stamp key", 5, () => [stampKeyProblem()], () => []],
  [
    "StorefrontCannotSellAlarm",
    "faults",
    15,
    () => [createFailed(), ...times(3, createdOne)],
    () => [createFailed(), ...times(4, createdOne)],
  ],
  [
    "StorefrontCannotSellAlarm",
    "refusals",
    15,
    () => [createRefused(), ...times(3, createdOne)],
    () => [createRefused(), ...times(4, createdOne)],
  ],
  [
    "StorefrontCannotSellAlarm",
    "all of three",
    15,
    () => times(3, createRefused),
    () => times(2, createFailed),
  ],
  [
    "StorefrontQueriesAlarm",
    "no answer",
    15,
    () => times(3, queryUnanswered),
    () => times(2, queryUnanswered),
  ],
  [
    "StorefrontQueriesAlarm",
    "faults",
    15,
    () => times(3, queryCrashed),
    () => times(2, queryCrashed),
  ],
  ...ofQueue("SubscribersfulfilmentQueueAlarm", "Subscribersfulfilment"),
  ...expiring,
  [
    "ReconciliationLateAlarm",
    "late",
    5,
    () => [ran({ oldestDueMilliseconds: 3_600_000 })],
    () => [ran({ oldestDueMilliseconds: 3_599_000 })],
  ],
  ["ReconciliationLateAlarm", "silent", 5, () => [], () => [ran({ oldestDueMilliseconds: 0 })]],
  ...["failed", "refused", "unreadable"].map(
    (kind): Cause => [
      "ReconciliationFailingAlarm",
      kind,
      60,
      () => asked(3, kind),
      () => asked(2, kind),
    ],
  ),
  ...ofFunctions,
];

test.each(causes)(
  "%s rings for %s alone, in %i minutes, and not just below",
  async (id, _cause, minutes, rings, isSilent) => {
    const alarm = readAlarm(alarms[id]);
    const stateAfter = async (writes: Writes[]) => {
      const written = (await Promise.all(writes)).flat();
      return evaluateAlarm(alarm, memoryMetrics(written), now + minute).value;
    };
    expect(alarm.periodMilliseconds).toBe(minutes * minute);
    expect(await stateAfter(rings())).toBe("ALARM");
    expect(await stateAfter(isSilent())).toBe("OK");
  },
);

test("every alarm has its causes here", () => {
  const named = new Set(causes.map(([id]) => id.replace(/M1$/, "M")));
  const all = alarmTable.map(([id]) => id.replace(/M\d$/, "M").replace("analytics", "fulfilment"));
  expect(named).toEqual(new Set(all));
});

const isSilence = ([, cause]: Cause) => cause === "no count" || cause === "silent";

/** Then it does not matter what CloudWatch makes of an expression over a metric without any data. */
test.each(causes.filter((cause) => !isSilence(cause)))(
  "%s: what a function writes for %s gives each metric of its own in the alarm a value",
  async (id, _cause, _minutes, rings) => {
    const written = new Set((await Promise.all(rings())).flat().map(({ metric }) => keyOf(metric)));
    const own = [...readAlarm(alarms[id]).metrics.values()].filter(
      ({ metric }) => metric.namespace === "Paycast",
    );
    expect(own.filter(({ metric }) => !written.has(keyOf(metric)))).toEqual([]);
  },
);
