import { expect, test } from "vitest";
import { inOrder, publishedIsAuthentic, publishedOnce } from "./check/deliveries.ts";
import { personsAsked } from "./check/persons.ts";
import { looksAtRest } from "./check/rest.ts";
import { callbackOf, endingWith, eventOf, order, seenWith } from "./synthetic.ts";
import { changed, eventsWith, ours, paid, paidBody } from "./synthetic-events.ts";

const fiveMinutes = 5 * 60_000;

/** What the rule finds in two messages of one event: when each was sent, and when it was read. */
function copies(...times: readonly (readonly [sent: number, read: number])[]) {
  const events = times.map(([sentMilliseconds, atMilliseconds]) =>
    eventOf("success", { callbackId: "c1", sentMilliseconds, atMilliseconds }),
  );
  const [look] = publishedOnce(seenWith({}, { events }));
  return { wrong: look?.wrong.length, attributed: look?.attributed?.length };
}

test("an event that was sent again after SQS forgot it is no fault, however late it was read", () => {
  expect(copies([0, 30_000], [fiveMinutes + 1, fiveMinutes + 2])).toEqual({
    wrong: 0,
    attributed: 1,
  });
});

test("an event that was sent again before SQS forgets it is a fault, however late it was read", () => {
  expect(copies([0, 1], [fiveMinutes - 1, fiveMinutes + 60_000])).toEqual({
    wrong: 1,
    attributed: 0,
  });
});

type GivenUp = ReturnType<typeof endingWith>["givenUp"][number];
const givenUp: GivenUp = {
  id: "1",
  kind: "undeliverable",
  type: "payment.order.confirming",
  orderNo: order.orderNo,
  receivedAt: "2026-01-01T00:00:00Z",
  since: "2026-01-01T00:05:00Z",
  subscribers: { all: "ServiceUnavailable" },
};

/** What the rule finds if the event of `confirming` arrived after that of `success`, which was undeliverable. */
function inversions(item: Partial<GivenUp>, callbackId?: string) {
  const first = eventOf("success", { sequence: 2 });
  const later = eventOf("confirming", { sequence: 1, ...(callbackId && { callbackId }) });
  const ending = endingWith({ givenUp: [{ ...givenUp, ...item }] });
  return inOrder(seenWith({ ending }, { events: [first, later] })).flatMap(({ wrong }) => wrong);
}

test("an event that was given up and redriven comes out of order", () => {
  expect(inversions({})).toEqual([]);
  expect(inversions({ callbackId: "C-1" }, "c1")).toEqual([]);
});

test("an event that was not given up for this team comes in order", () => {
  const message = ["all/g1: 1 arrived after 2"];
  expect(inversions({ type: "payment.order.failed" })).toEqual(message);
  expect(inversions({ orderNo: "C1-2" })).toEqual(message);
  expect(inversions({ subscribers: { another: "ServiceUnavailable" } })).toEqual(message);
  expect(inversions({ callbackId: "c2" }, "c1")).toEqual(message);
  expect(inversions({}, "c1")).toEqual(message);
});

test("an event is only in the queues of those who want its type and its merchant", () => {
  const wrongIf = (parts: object) => {
    const subscribers = [{ name: "all", types: ["payment.order.*"], ordered: true, ...parts }];
    return publishedIsAuthentic(
      seenWith({ ...ours, subscribers }, { statements: [paid], events: eventsWith(paidBody) }),
    ).flatMap(({ wrong }) => wrong);
  };
  const message = expect.stringContaining("all got payment.order.success");
  expect(wrongIf({})).toEqual([]);
  expect(wrongIf({ merchants: [order.merchantId] })).toEqual([]);
  expect(wrongIf({ merchants: ["m2"] })).toEqual([message]);
  expect(wrongIf({ types: ["payment.refund.*"] })).toEqual([message]);
});

test("work that nobody sends is not finished", () => {
  const [look] = looksAtRest(seenWith({ ending: endingWith({ unsent: 2 }) }).evidence);
  expect(look?.wrong).toEqual(["2 records have an event that nobody sends"]);
});

const away = { what: "SQS is away", service: "sqs" as const };

/** What the rule finds in an event that became undeliverable after this many seconds, if SQS was down until then. */
function hasty(seconds: number, subscribers: Record<string, string>, awayUntil = seconds) {
  const receivedMilliseconds = Date.parse(givenUp.receivedAt);
  const since = new Date(receivedMilliseconds + seconds * 1_000).toISOString();
  const ending = endingWith({ givenUp: [{ ...givenUp, callbackId: "c1", since, subscribers }] });
  const untilMilliseconds = receivedMilliseconds + awayUntil * 1_000;
  const disturbances = [{ ...away, fromMilliseconds: receivedMilliseconds, untilMilliseconds }];
  return personsAsked(seenWith({ ending, disturbances })).flatMap(({ wrong }) => wrong);
}

test("an event is given up after five minutes, or after one if its queue does not exist", () => {
  const message = ["the event of callback c1 was given up too early"];
  const missing = { all: "QueueDoesNotExist" };
  expect(hasty(300, { all: "ServiceUnavailable" })).toEqual([]);
  expect(hasty(299, { all: "ServiceUnavailable" })).toEqual(message);
  expect(hasty(60, missing)).toEqual([]);
  expect(hasty(59, missing)).toEqual(message);
  expect(hasty(60, { ...missing, another: "AccessDenied" })).toEqual(message);
});

test("an event that was given up while its queue did not exist needed somebody", () => {
  const until = { fromMilliseconds: 0, untilMilliseconds: Infinity };
  const wrongIf = (queue: string) => {
    const ending = endingWith({ givenUp: [{ ...givenUp, callbackId: "c1" }] });
    const disturbances = [{ what: "a queue is deleted", queue, ...until }];
    return personsAsked(seenWith({ ending, disturbances })).flatMap(({ wrong }) => wrong);
  };
  expect(wrongIf("all")).toEqual([]);
  expect(wrongIf("another")).toHaveLength(1);
});

test("an event that was given up while its queue took messages needed nobody", () => {
  expect(hasty(300, { all: "ServiceUnavailable" }, 200)).toEqual([
    "the event of callback c1 needed no attention: its queue accepted messages",
  ]);
});

const notice = { id: "1", kind: "mismatch", orderNo: order.orderNo, receivedAt: "", since: "" };

/** What the rule finds if the event of the order has these flags, and these notices are listed. */
function noticed(flags: readonly string[], needsPerson: readonly (typeof notice)[]) {
  const body = changed(changed(paidBody, "data.flags", flags), "data.order.flags", flags);
  const dear = callbackOf({ event: "order.success" }, 200, {
    ...paid.opened.result,
    paymentAmount: 21,
  });
  const statements = [flags.includes("mismatch") ? dear : paid];
  const read = { statements, events: eventsWith(body) };
  return personsAsked(seenWith({ ending: endingWith({ needsPerson }) }, read)).flatMap(
    ({ wrong }) => wrong,
  );
}

test("a person is asked about what is odd about money, and about nothing else", () => {
  expect(noticed([], [])).toEqual([]);
  expect(noticed(["mismatch"], [notice])).toEqual([]);
  expect(noticed(["mismatch"], [])).toEqual(["Attention does not list its mismatch"]);
  expect(noticed([], [notice])).toEqual(["mismatch: it needs no attention"]);
  expect(noticed([], [{ ...notice, kind: "unresolved" }])).toEqual([
    "unresolved: it needs no attention",
  ]);
});
