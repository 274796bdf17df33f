import { expect, test } from "vitest";
import { inOrder, publishedIsAuthentic, publishedOnce } from "./check/deliveries.ts";
import { personsAsked } from "./check/persons.ts";
import { looksAtRest } from "./check/rest.ts";
import type { Disturbance } from "./disturbance.ts";
import type { GivenUp } from "./read-ending.ts";
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

const givenUp: GivenUp = {
  atMilliseconds: fiveMinutes,
  eventId: "e1",
  callbackId: "c1",
  orderNo: order.orderNo,
  subscribers: ["all"],
  errorName: "ServiceUnavailable",
};

/** What the rule finds if event `e1` was sent after a later one of its order. */
function inversions(parts: Partial<GivenUp>) {
  const first = eventOf("success", { sequence: 2 });
  const sentMilliseconds = fiveMinutes + 1;
  const later = { ...eventOf("confirming", { sequence: 1, sentMilliseconds }), id: "e1" };
  const ending = endingWith({ givenUp: [{ ...givenUp, ...parts }] });
  return inOrder(seenWith({ ending }, { events: [first, later] })).flatMap(({ wrong }) => wrong);
}

test("an event that the stack gave up on may be sent out of order", () => {
  expect(inversions({})).toEqual([]);
});

test("an event that the stack did not give up on for this team before it was sent comes in order", () => {
  const message = ["all/g1: 1 arrived after 2"];
  expect(inversions({ eventId: "e2" })).toEqual(message);
  expect(inversions({ subscribers: ["another"] })).toEqual(message);
  expect(inversions({ atMilliseconds: fiveMinutes + 2 })).toEqual(message);
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

/** The callback arrives at 0, and again a minute later. */
const twice = [0, 60_000].map((atMilliseconds) => ({
  ...paid,
  opened: { ...paid.opened, id: "C-1" },
  post: { ...paid.post, atMilliseconds },
}));

/** What the rule finds in an event that the stack gave up on after this many seconds, if SQS was down until then. */
function hasty(
  seconds: number,
  errorName: string,
  awayUntil = seconds,
  passed: Disturbance[] = [],
) {
  const ending = endingWith({
    givenUp: [{ ...givenUp, atMilliseconds: seconds * 1_000, errorName }],
  });
  const disturbances = [{ ...away, fromMilliseconds: 0, untilMilliseconds: awayUntil * 1_000 }];
  const seen = seenWith({ ending, disturbances, passed }, { statements: twice });
  return personsAsked(seen).flatMap(({ wrong }) => wrong.filter((line) => line.includes("e1")));
}

test("an event is given up after five minutes, or after one if its queue does not exist", () => {
  const message = ["the event e1 was given up too early"];
  const missing = "QueueDoesNotExist";
  expect(hasty(300, "ServiceUnavailable")).toEqual([]);
  expect(hasty(299, "ServiceUnavailable")).toEqual(message);
  expect(hasty(60, missing)).toEqual([]);
  expect(hasty(59, missing)).toEqual(message);
  expect(hasty(60, `${missing}, AccessDenied`)).toEqual(message);
});

test("an event that was given up while its queue did not exist needed somebody", () => {
  const until = { fromMilliseconds: 0, untilMilliseconds: Infinity };
  const wrongIf = (queue: string) => {
    const ending = endingWith({ givenUp: [givenUp] });
    const disturbances = [{ what: "a queue is deleted", queue, ...until }];
    return personsAsked(seenWith({ ending, disturbances })).flatMap(({ wrong }) => wrong);
  };
  expect(wrongIf("all")).toEqual([]);
  expect(wrongIf("another")).toHaveLength(1);
});

test("an event that was given up while its queue took messages needed nobody", () => {
  expect(hasty(300, "ServiceUnavailable", 200)).toEqual([
    "the event e1 needed no attention: its queue accepted messages",
  ]);
});

test("an event may be given up when the clock jumps while it is being sent", () => {
  const jump = { what: "100 s pass", fromMilliseconds: 199_000, untilMilliseconds: 299_000 };
  expect(hasty(300, "ServiceUnavailable", 200, [jump])).toEqual([]);
  expect(hasty(300, "ServiceUnavailable", 178, [jump])).toHaveLength(1);
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
