import { describe, expect, test } from "vitest";
import { nameOfRange, rangeNamed } from "../../../../tools/console/page/orders/range.ts";
import type { FlowCounts } from "../../../../tools/operations/overview/flow-counts.ts";
import { flowStages } from "../../../../tools/operations/overview/flow-stages.ts";
import { localWarnings } from "../../../../tools/operations/overview/local-warnings.ts";
import type { Flow } from "../../../../tools/operations/overview/read-flow.ts";
import { type Refusing, refusingText } from "../../../../tools/operations/overview/warning.ts";
import { type Counted, rangeNames } from "../../../../tools/operations/telemetry/metric.ts";

const since = Date.parse("2026-11-16T02:00:00Z");
const at = (minute: number) => since + minute * 60_000;
/** How many there were in each minute after two o'clock. */
const counted = (minutes: Readonly<Record<number, number>> = {}): Counted => ({
  total: Object.values(minutes).reduce((sum, count) => sum + count, 0),
  perStep: Array.from({ length: 60 }, (_item, minute) => minutes[minute] ?? 0),
  stepMinutes: 1,
  since,
});
const nothing: FlowCounts = {
  accepted: counted(),
  refused: counted(),
  notAuthentic: counted(),
  unknownMerchant: counted(),
  notStored: counted(),
  published: counted(),
  known: counted(),
  givenBack: counted(),
  quarantined: counted(),
  doubtful: counted(),
  ordersCreated: counted(),
  ordersRefused: counted(),
  ordersFailed: counted(),
  ordersUnknown: counted(),
  asked: counted(),
  questions: counted(),
  askFailed: counted(),
};
const queue = { waiting: 0, inFlight: 0, oldestAt: undefined, oldestSeconds: undefined };
const quiet = {
  waiting: 0,
  undeliverable: 0,
  quarantined: 0,
  notice: 0,
  isMore: false,
  last: undefined,
};
const flowOf = (counts: Partial<FlowCounts>, changes: Partial<Flow> = {}): Flow => ({
  range: "1h",
  counts: { ...nothing, ...counts },
  charts: { ...nothing, ...counts },
  countsProblem: undefined,
  failures: [],
  changes: [],
  changesProblem: undefined,
  hasStorefront: true,
  lastRefusal: undefined,
  alarms: undefined,
  alarmsProblem: undefined,
  inbox: { ...queue, deadLetters: { waiting: 0, inFlight: 0 } },
  attention: { ...quiet, subscribers: {} },
  attentionProblem: undefined,
  subscribers: [],
  ...changes,
});
const warningsOf = (flow: Flow, minute: number) =>
  localWarnings(flow, {
    nowMilliseconds: at(minute),
    timeText: (time) => time.slice(11, 16),
  });
const messagesOf = (flow: Flow, minute = 59) =>
  warningsOf(flow, minute).map(({ message }) => message);

describe("the storefront", () => {
  const ordersRefused = counted({ 41: 2, 46: 3 });

  test("says how many orders the service refused since when, and its latest words", () => {
    const flow = flowOf({ ordersRefused }, { lastRefusal: "40103 body cannot be decrypted" });
    expect(messagesOf(flow)).toEqual([
      "The service refused 5 of 5 orders since 02:41, the last at 02:46: 40103 body cannot be decrypted.",
    ]);
  });

  test("counts only the orders since the first refusal beside it", () => {
    const ordersCreated = counted({ 30: 100, 43: 2 });
    const ordersFailed = counted({ 45: 1 });
    expect(messagesOf(flowOf({ ordersRefused, ordersCreated, ordersFailed }))).toEqual([
      "The service refused 5 of 8 orders since 02:41, the last at 02:46.",
      "No answer of the service, or a fault of Paycast, for 1 of 4 orders at 02:45. The outcome may be unknown.",
    ]);
  });

  test("warns of many refusals in the last ten minutes, also after a harmless one early in the hour", () => {
    const perMinute = (from: number, until: number) =>
      Object.fromEntries(
        Array.from({ length: until - from }, (_item, index) => [from + index, 10]),
      );
    const flow = flowOf({
      ordersCreated: counted(perMinute(0, 52)),
      ordersRefused: counted({ 5: 1, ...perMinute(52, 60) }),
    });
    expect(messagesOf(flow)).toEqual([
      "The service refused 80 of 100 orders since 02:50, the last at 02:59.",
    ]);
  });

  test("does not warn of few refusals among many orders, but shows their number", () => {
    const flow = flowOf({ ordersRefused, ordersCreated: counted({ 42: 16 }) });
    expect(messagesOf(flow)).toEqual([]);
    const [refused] = flowStages(flow, at(59)).storefront.more;
    expect(refused).toMatchObject({ value: 5, label: "refused" });
  });

  test("warns of questions that failed from the third one on", () => {
    expect(messagesOf(flowOf({ askFailed: counted({ 3: 2 }) }))).toEqual([]);
    expect(messagesOf(flowOf({ askFailed: counted({ 3: 2, 7: 1 }) }))).toEqual([
      "In the last hour 3 questions to the service failed, the last at 02:07.",
    ]);
  });
});

test("what happened is red for ten minutes, then neutral with the count of the hour", () => {
  const flow = flowOf({ notStored: counted({ 20: 2 }), refused: counted({ 20: 1 }) });
  const look = (minute: number) => {
    const { callbacks, refused } = flowStages(flow, at(minute));
    const [warning] = warningsOf(flow, minute);
    return [warning?.isRed, callbacks.more[0]?.tone, refused.main.tone, refused.main.value];
  };
  expect(look(30.9)).toEqual([true, "bad", "bad", 1]);
  expect(look(31)).toEqual([false, "plain", "plain", 1]);
  const { refused } = flowStages(flow, at(59));
  expect(refused.main.last).toBe(new Date(at(20)).toISOString());
});

test("what needs a person stays red, and names the last time", () => {
  const last = "2026-11-15T12:00:00.000Z";
  const attention = { ...quiet, quarantined: 2, undeliverable: 1, last, subscribers: {} };
  expect(warningsOf(flowOf({}, { attention }), 59)).toMatchObject([
    { message: "3 need a person, the last since 12:00.", isRed: true },
  ]);
});

test.each([
  { what: "all", accepted: 0, refused: 3, ofNobody: 0, says: "3 of 3 callbacks" },
  { what: "a quarter", accepted: 9, refused: 3, ofNobody: 0, says: "3 of 12 callbacks" },
  { what: "less than a quarter", accepted: 10, refused: 3, ofNobody: 0, says: undefined },
  { what: "only two", accepted: 0, refused: 2, ofNobody: 0, says: undefined },
  { what: "all for unknown merchants", accepted: 0, refused: 30, ofNobody: 30, says: undefined },
  { what: "none", accepted: 0, refused: 0, ofNobody: 0, says: undefined },
])("refused callbacks are wrong if they are many: $what", (given) => {
  const { accepted, refused, ofNobody, says } = given;
  const [message] = messagesOf(
    flowOf({
      accepted: counted({ 9: accepted }),
      notAuthentic: counted({ 9: refused }),
      unknownMerchant: counted({ 9: ofNobody }),
    }),
  );
  const expected = says && `${says} of the last hour were not authentic, the last at 02:09.`;
  expect(message?.replace(/ The keys .*/, "")).toBe(expected);
});

test("refused callbacks are wrong if they are many in the last ten minutes", () => {
  const counts = { accepted: counted({ 9: 500 }), notAuthentic: counted({ 5: 1, 55: 9 }) };
  expect(messagesOf(flowOf(counts))[0]).toMatch(
    /^9 of 9 callbacks of the last ten minutes were not authentic, the last at 02:55\./,
  );
});

const givenUpSince = "2026-11-16T02:49:00.000Z";

test.each<[string, Partial<Refusing>]>([
  [
    "refuses since 2026-11-16T03:28:07Z: QueueDoesNotExist, 1 event waits, 40 given up since 2026-11-16T02:49:00Z",
    { waiting: 1, givenUp: 40, since: "2026-11-16T03:28:07.123Z", givenUpSince },
  ],
  [
    "refuses since 2026-11-16T03:28:07Z: QueueDoesNotExist, 3 events wait, 2000 given up",
    { waiting: 3, givenUp: 2000, since: "2026-11-16T03:28:07.123Z" },
  ],
  [
    "refuses since 2026-11-16T02:44:07Z: QueueDoesNotExist, 1 event waits",
    { waiting: 1, since: "2026-11-16T02:44:07.123Z" },
  ],
  [
    "misses 1 event that was given up at 2026-11-16T02:49:00Z: QueueDoesNotExist",
    { givenUp: 1, givenUpSince, lastGivenUp: givenUpSince },
  ],
  [
    "misses 2 events that were given up since 2026-11-16T02:49:00Z, the last at 2026-11-16T03:28:00Z: QueueDoesNotExist",
    { givenUp: 2, givenUpSince, lastGivenUp: "2026-11-16T03:28:00.000Z" },
  ],
])("a subscriber %s", (text, changes) => {
  const never = { since: undefined, givenUpSince: undefined, lastGivenUp: undefined };
  const nothingMissed = { waiting: 0, givenUp: 0, ...never };
  const errorName = "QueueDoesNotExist";
  expect(refusingText({ ...nothingMissed, errorName, ...changes })).toBe(text);
});

test("the numbers of a longer range open the orders and requests of that range", () => {
  const { callbacks, refused, storefront } = flowStages(flowOf({}, { range: "7d" }), at(59));
  expect(callbacks.main.to).toBe("/requests?route=callbacks&since=7d");
  expect(refused.main.to).toBe("/requests?route=callbacks&answer=refused&since=7d");
  expect([storefront.main, ...storefront.more].map(({ to }) => to)).toEqual([
    "/orders?from=7d",
    "/requests?route=create-order&answer=refused&since=7d",
    "/requests?route=create-order&answer=failed&since=7d",
    "/requests?route=create-order&answer=504&since=7d",
    "/requests?route=query-order&since=7d",
    "/requests?route=query-order&answer=failed&since=7d",
  ]);
});

test("each range of the flow is one that the page of orders offers", () => {
  for (const from of rangeNames) {
    const range = { from, until: "" };
    expect(rangeNamed(nameOfRange(range))).toEqual(range);
  }
});
