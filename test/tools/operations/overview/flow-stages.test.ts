import { expect, test } from "vitest";
import { nameOfRange, rangeNamed } from "../../../../tools/console/page/orders/range.ts";
import type { Failures } from "../../../../tools/operations/overview/failure-words.ts";
import type { FlowCounts } from "../../../../tools/operations/overview/flow-counts.ts";
import { flowStages } from "../../../../tools/operations/overview/flow-stages.ts";
import type { Flow } from "../../../../tools/operations/overview/read-flow.ts";
import { type Refusing, refusingText } from "../../../../tools/operations/overview/refusing.ts";
import { unreadParts } from "../../../../tools/operations/overview/unread.ts";
import { type Counted, rangeNames } from "../../../../tools/operations/ports/metrics.ts";

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
  queries: counted(),
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
  refusals: [],
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
test("what happened is red for ten minutes, then neutral with the count of the hour", () => {
  const flow = flowOf({ notStored: counted({ 20: 2 }), refused: counted({ 20: 1 }) });
  const look = (minute: number) => {
    const { callbacks, refused } = flowStages(flow, at(minute));
    return [callbacks.more[0]?.tone, refused.main.tone, refused.main.value];
  };
  expect(look(30.9)).toEqual(["bad", "bad", 1]);
  expect(look(31)).toEqual(["plain", "plain", 1]);
  const { refused } = flowStages(flow, at(59));
  expect(refused.main.last).toBe(new Date(at(20)).toISOString());
});

test("what has failed since the last success is said also after ten minutes", () => {
  const last = new Date(at(40)).toISOString();
  const noneSince = { at: new Date(at(26)).toISOString(), failed: 2, lastSuccess: undefined };
  const notesAt = (minute: number, failures: Partial<Failures>) => {
    const orders = { kind: "orders", failed: 2, last, noneSince, causes: [], ...failures } as const;
    return flowStages(flowOf({}, { failures: [orders] }), at(minute)).storefront.notes;
  };
  expect(notesAt(52, {})).toEqual([{ text: "no order was created since", at: noneSince.at }]);
  const causes = [{ name: "service-away", reason: "gateway-timed-out", count: 2 }] as const;
  expect(notesAt(50, { noneSince: undefined, causes })).toHaveLength(1);
  expect(notesAt(52, { noneSince: undefined, causes })).toEqual([]);
});

test("a deleted queue names the command with its stack", () => {
  const problem = "It does not exist: it was deleted.";
  const inbox = { ...flowOf({}).inbox, problem, isGone: true } as const;
  expect(unreadParts(flowOf({}, { inbox }), " --stack Paycast")).toEqual([
    "The inbox does not exist: it was deleted. To recreate it: npx paycast check --stack Paycast",
  ]);
});

const givenUpSince = "2026-11-16T02:49:00.000Z";

test.each<[string, Partial<Refusing>]>([
  [
    "has rejected events since 2026-11-16T03:28:07Z: QueueDoesNotExist, 1 event waits, 40 not delivered since 2026-11-16T02:49:00Z",
    { waiting: 1, givenUp: 40, since: "2026-11-16T03:28:07.123Z", givenUpSince },
  ],
  [
    "has rejected events since 2026-11-16T03:28:07Z: QueueDoesNotExist, 3 events wait, 2000 not delivered",
    { waiting: 3, givenUp: 2000, since: "2026-11-16T03:28:07.123Z" },
  ],
  [
    "has rejected events since 2026-11-16T02:44:07Z: QueueDoesNotExist, 1 event waits",
    { waiting: 1, since: "2026-11-16T02:44:07.123Z" },
  ],
  [
    "has not received 1 event since 2026-11-16T02:49:00Z: QueueDoesNotExist",
    { givenUp: 1, givenUpSince, lastGivenUp: givenUpSince },
  ],
  [
    "has not received 1 event at 2026-11-16T02:49:00Z: QueueDoesNotExist",
    { givenUp: 1, lastGivenUp: givenUpSince },
  ],
  [
    "has not received 2 events, the last at 2026-11-16T03:28:00Z: QueueDoesNotExist",
    { givenUp: 2, lastGivenUp: "2026-11-16T03:28:00.000Z" },
  ],
  [
    "has not received 2 events since 2026-11-16T02:49:00Z, the last at 2026-11-16T03:28:00Z: QueueDoesNotExist",
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
