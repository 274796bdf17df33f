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
  createWithoutTable,
  endByCallback,
  endByQuery,
  endToldLater,
  fetchFailing,
  forged,
  fromElsewhere,
  givenBack,
  keysProblem,
  notDecrypted,
  noticeNotWritten,
  notStored,
  now,
  outdatedKeys,
  queryUnanswered,
  ran,
  refusedAsCallers,
  requested,
  stampKeyProblem,
  withoutStamp,
  wrongBody,
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
const callbacks = (status: number) => requested("POST /callbacks", status);
const orders = (status: number, functionStatus?: number | "none") =>
  requested("POST /orders", status, functionStatus);
const asked = (failed: number, kind: string) => {
  const results = Array.from({ length: 12 }, (_item, index) => (index < failed ? kind : "news"));
  return [ran({ oldestDueMilliseconds: 0, results: results as never })];
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
    "KeysAlarmM1",
    service,
    5,
    () => [keysProblem(service)],
    () => [keysProblem(service, { stage: "previous" })],
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
    () => [...times(3, forged), ...times(9, () => accepted())],
    () => [...times(3, forged), ...times(10, () => accepted())],
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
  [
    "IntakeMissingAlarmM1",
    "a quarter missing",
    60,
    () => [...times(3, endByQuery), ...times(9, () => endByCallback())],
    () => [...times(3, endByQuery), ...times(10, () => endByCallback())],
  ],
  [
    "IntakeMissingAlarmM1",
    "not told later either",
    60,
    () => [...times(5, endByQuery), ...times(2, endToldLater)],
    () => [...times(5, endByQuery), ...times(3, endToldLater)],
  ],
  [
    "IntakeAllMissingAlarmM1",
    "missing",
    360,
    () => times(3, endByQuery),
    () => times(2, endByQuery),
  ],
  [
    "IntakeAllMissingAlarmM1",
    "none told",
    360,
    () => times(30, endByQuery),
    () => [...times(30, endByQuery), endByCallback()],
  ],
  [
    "IntakeAllMissingAlarmM1",
    "none told later",
    360,
    () => times(30, endByQuery),
    () => [...times(30, endByQuery), endToldLater()],
  ],
  [
    "IntakeLockedOutAlarmM1",
    "rejected while orders end",
    60,
    () => [...times(3, forged), endByQuery()],
    () => [...times(2, forged), endByQuery()],
  ],
  [
    "IntakeLockedOutAlarmM1",
    "none accepted",
    60,
    () => [...times(30, forged), endByQuery()],
    () => [...times(30, forged), ...times(9, endByQuery), accepted()],
  ],
  [
    "IntakeLockedOutAlarmM1",
    "somebody sells",
    60,
    () => [...times(30, forged), endByQuery()],
    () => times(30, forged),
  ],
  [
    "IntakeOutdatedKeysAlarmM1",
    "outdated keys",
    360,
    () => times(3, () => accepted(outdatedKeys)),
    () => times(2, () => accepted(outdatedKeys)),
  ],
  [
    "IntakeOutdatedKeysAlarmM1",
    "only outdated keys",
    360,
    () => times(30, () => accepted(outdatedKeys)),
    () => [...times(30, () => accepted(outdatedKeys)), accepted()],
  ],
  [
    "IntakeSourcesAlarm",
    "addresses",
    360,
    () => times(3, fromElsewhere),
    () => times(2, fromElsewhere),
  ],
  [
    "IntakeSourcesAlarm",
    "a quarter of them",
    360,
    () => [...times(3, fromElsewhere), ...times(9, () => accepted())],
    () => [...times(3, fromElsewhere), ...times(10, () => accepted())],
  ],
  [
    "IntakeCallbacksFailingAlarm",
    "all",
    15,
    () => times(3, () => callbacks(503)),
    () => times(2, () => callbacks(503)),
  ],
  [
    "IntakeCallbacksFailingAlarm",
    "a quarter",
    15,
    () => [...times(3, () => callbacks(500)), ...times(9, () => callbacks(200))],
    () => [...times(3, () => callbacks(500)), ...times(10, () => callbacks(200))],
  ],
  [
    "IntakeCallbacksAllFailingAlarm",
    "all",
    360,
    () => times(3, () => callbacks(503)),
    () => times(2, () => callbacks(503)),
  ],
  [
    "IntakeCallbacksAllFailingAlarm",
    "none succeeded",
    360,
    () => times(30, () => callbacks(503)),
    () => [...times(30, () => callbacks(503)), callbacks(200)],
  ],
  [
    "IntakeThrottledAlarm",
    "a quarter",
    15,
    () => [...times(3, () => callbacks(429)), ...times(9, () => callbacks(401))],
    () => [...times(3, () => callbacks(429)), ...times(10, () => callbacks(401))],
  ],
  [
    "IntakeThrottledAlarm",
    "all",
    15,
    () => times(3, () => callbacks(429)),
    () => times(2, () => callbacks(429)),
  ],
  ...ofKeys,
  [
    "KeysAlarmM1",
    "nothing to serve",
    5,
    () => [keysProblem("receive-callback", { code: "keys-unreachable", isServed: false })],
    () => [fetchFailing(7200)],
  ],
  ["IntakeNotDecryptedAlarmM1", "the first", 5, () => [notDecrypted()], () => [notStored()]],
  ["StampKeyAlarm", "the stamp key", 5, () => [stampKeyProblem()], () => [keysProblem("x")]],
  [
    "KeysFetchAlarm",
    "a fetch",
    5,
    () => [fetchFailing(900)],
    () => times(9, () => fetchFailing(899)),
  ],
  [
    "StorefrontCannotSellAlarmM1",
    "faults",
    15,
    () => [...times(3, createFailed), ...times(9, createdOne)],
    () => [...times(3, createFailed), ...times(10, createdOne)],
  ],
  [
    "StorefrontCannotSellAlarmM1",
    "refusals, beside wrong orders",
    15,
    () => [...times(3, createRefused), ...times(80, refusedAsCallers), ...times(80, wrongBody)],
    () => [...times(2, createRefused), ...times(80, refusedAsCallers), ...times(80, wrongBody)],
  ],
  [
    "StorefrontCannotSellAlarmM1",
    "the table",
    15,
    () => times(3, createWithoutTable),
    () => times(2, createWithoutTable),
  ],
  [
    "StorefrontSoldNothingAlarmM1",
    "all of three",
    360,
    () => times(3, createRefused),
    () => times(2, createFailed),
  ],
  [
    "StorefrontSoldNothingAlarmM1",
    "none created",
    360,
    () => times(30, createFailed),
    () => [...times(30, createFailed), createdOne()],
  ],
  ...[500, 503].flatMap((status): Cause[] => [
    [
      "StorefrontCreatingFailingAlarm",
      `a quarter with ${status}`,
      15,
      () => [...times(3, () => orders(status, "none")), ...times(9, () => orders(201))],
      () => [...times(3, () => orders(status, "none")), ...times(10, () => orders(502))],
    ],
    [
      "StorefrontCreatingAllFailingAlarm",
      `all with ${status}`,
      360,
      () => times(3, () => orders(status, "none")),
      () => [...times(30, () => orders(status, "none")), orders(200)],
    ],
  ]),
  [
    "StorefrontCreatingFailingAlarm",
    "answers of the function that say that the service or the table failed",
    15,
    () => times(3, () => orders(500)),
    () => [503, 504, 502].flatMap((status) => times(30, () => orders(status))),
  ],
  [
    "StorefrontThrottledAlarm",
    "a quarter",
    15,
    () => [...times(3, () => orders(429)), ...times(9, () => orders(201))],
    () => [...times(3, () => orders(429)), ...times(10, () => orders(400))],
  ],
  [
    "StorefrontQueriesAlarm",
    "no answer",
    15,
    () => times(3, queryUnanswered),
    () => times(2, queryUnanswered),
  ],
  ...["GET /orders/{orderNo+}", "GET /payments/{paymentId}"].map(
    (route): Cause => [
      "StorefrontQueriesFailingAlarm",
      route,
      15,
      () => times(3, () => requested(route, 503)),
      () => [...times(2, () => requested(route, 500, "none")), ...times(9, () => orders(503))],
    ],
  ),
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
