import { expect, test } from "vitest";
import { errorsInPeace } from "./check/acceptance.ts";
import { check } from "./check/check.ts";
import type { Evidence } from "./check/evidence.ts";
import type { Disturbance } from "./disturbance.ts";
import { type Round, type RuleResult, restRule } from "./figures.ts";
import type { ApiCall } from "./shopper.ts";
import { bookOf, callOf, endingWith, getOf, order, seenWith } from "./synthetic.ts";
import { runUntilJudged, type Verdict, verdictOf } from "./verdict.ts";
import { busyTimesOf } from "./watch-machine.ts";

const busy = { what: "busy", fromMilliseconds: 20_000, untilMilliseconds: 21_000 };

/** A call of this kind, from the 20th second on. */
function lasting(seconds: number, status: number | undefined): ApiCall {
  const endedMilliseconds = 20_000 + seconds * 1_000;
  return { ...callOf("POST /orders", status, {}), atMilliseconds: 20_000, endedMilliseconds };
}

function errorsIn(evidence: Partial<Evidence>) {
  const findings = errorsInPeace(seenWith(evidence));
  const all = (name: "wrong" | "unjudged") => findings.flatMap((look) => look[name] ?? []).length;
  return { findings: findings.length, wrong: all("wrong"), unjudged: all("unjudged") };
}
const isWrong = { findings: 1, wrong: 1, unjudged: 0 };
const isUnjudged = { findings: 1, wrong: 0, unjudged: 1 };

test.each([503, 500, undefined])("an error (%s) while nothing is broken is wrong", (status) => {
  expect(errorsIn({ calls: [lasting(3, status)] })).toEqual(isWrong);
});

test.each([503, 504, undefined])(
  "an error (%s) of lateness on a busy machine is not judged",
  (status) => {
    expect(errorsIn({ calls: [lasting(0.2, status)], busy: [busy] })).toEqual(isUnjudged);
  },
);

test.each([500, 502])(
  "another error (%s) is wrong, unless the function ran out of its time",
  (status) => {
    expect(errorsIn({ calls: [lasting(9.9, status)], busy: [busy] })).toEqual(isWrong);
    expect(errorsIn({ calls: [lasting(10, status)], busy: [busy] })).toEqual(isUnjudged);
  },
);

test("a machine that was busy long before the call, or after it, explains nothing", () => {
  const calls = [lasting(3, 503)];
  const just = { ...busy, fromMilliseconds: 7_000, untilMilliseconds: 8_000 };
  const before = { ...busy, fromMilliseconds: 7_000, untilMilliseconds: 7_999 };
  const after = { ...busy, fromMilliseconds: 23_001, untilMilliseconds: 24_000 };
  expect(errorsIn({ calls, busy: [just] })).toEqual(isUnjudged);
  expect(errorsIn({ calls, busy: [before, after] })).toEqual(isWrong);
});

test("a good answer of a busy machine is looked at and good", () => {
  const calls = [lasting(3, 201)];
  expect(errorsIn({ calls, busy: [busy] })).toEqual({ findings: 1, wrong: 0, unjudged: 0 });
});

test("a response that takes too long is wrong, even if the payment service fails", () => {
  expect(errorsIn({ calls: [lasting(14.9, 201)] })).toMatchObject({ wrong: 0 });
  expect(errorsIn({ calls: [lasting(15, 201)] })).toEqual(isWrong);
  const orders = [{ ...order, story: "creation hangs" }];
  expect(errorsIn({ calls: [lasting(9, 504)], orders })).toMatchObject({ wrong: 0 });
  expect(errorsIn({ calls: [lasting(15, 504)], orders })).toEqual(isWrong);
  const calls = [lasting(15, 201)];
  const jump = { what: "600 s pass", fromMilliseconds: -50_000, sparesCalls: true };
  const passed = (untilMilliseconds: number) => [{ ...jump, untilMilliseconds }];
  expect(errorsIn({ calls, passed: passed(-40_000) })).toMatchObject({ wrong: 0 });
  expect(errorsIn({ calls, passed: passed(-40_001) })).toEqual(isWrong);
});

test("an order of the shop is valid, whatever is broken", () => {
  const disturbances = [{ what: "sqs is away", fromMilliseconds: 1_000, untilMilliseconds: 8_000 }];
  expect(errorsIn({ calls: [lasting(3, 400)], disturbances })).toEqual(isWrong);
});

test("what was broken on purpose is not looked at", () => {
  const disturbances = [{ what: "sqs is away", fromMilliseconds: 1_000, untilMilliseconds: 8_000 }];
  expect(errorsIn({ calls: [lasting(3, 503)], disturbances })).toMatchObject({ wrong: 0 });
  const [look] = errorsInPeace(seenWith({ calls: [lasting(3, 503)], disturbances }));
  expect(look?.excuse).toBe("something was broken");
});

test("what cannot make a call fail excuses no call, except a clock jump during the call", () => {
  const calls = [lasting(3, 503)];
  const disturbed = (fromMilliseconds: number, untilMilliseconds: number, isJump = false) => {
    const failing = { what: "disturbed", fromMilliseconds, untilMilliseconds };
    const wrongBy = (disturbance: Disturbance) => {
      const passed = isJump ? [disturbance] : [];
      return errorsIn({ calls, passed, disturbances: [disturbance] }).wrong;
    };
    return [failing, { ...failing, sparesCalls: true }].map(wrongBy);
  };
  expect(disturbed(18_000, 19_000)).toEqual([0, 1]);
  expect(disturbed(18_000, 21_000)).toEqual([0, 1]);
  expect(disturbed(18_000, 21_000, true)).toEqual([0, 0]);
  expect(disturbed(18_000, 19_000, true)).toEqual([0, 1]);
});

const sample = { shortMilliseconds: 5, longMilliseconds: 249 };
const second = (number: number) => ({
  fromMilliseconds: number * 1_000,
  untilMilliseconds: number * 1_000 + 999,
});

test("the machine is busy while work takes more than twice as long as it takes alone", () => {
  const samples = [
    { ...second(1), ...sample },
    { ...second(2), ...sample, longMilliseconds: 250 },
    // A little work takes longer, too; the fastest of all counts.
    { ...second(3), shortMilliseconds: 50, longMilliseconds: 900 },
  ];
  expect(busyTimesOf(samples)).toEqual([
    { ...second(2), what: "the machine is busy: work takes 2.5 times as long" },
    { ...second(3), what: "the machine is busy: work takes 9.0 times as long" },
  ]);
});

const result = (rule: string, parts: Partial<RuleResult> = {}): RuleResult => {
  return { rule, checked: 1, violations: [], ...parts };
};
const late = result("errors", { unjudged: ["503"] });
const lost = result("lost", { violations: [{ message: "one is lost" }] });
const roundOf = (...results: readonly RuleResult[]): Round => ({
  seed: 1,
  seconds: 1,
  orders: 1,
  callbacks: 1,
  events: 1,
  disturbances: 1,
  lastedSeconds: 10,
  busySeconds: 1,
  results,
});

test("what only a busy machine explains is not judged", () => {
  expect(verdictOf(roundOf(result("lost"), late), true)).toBe("not judged");
});

test("a fault that does not depend on time is wrong on a busy machine, too", () => {
  expect(verdictOf(roundOf(lost, late), true)).toBe("wrong");
});

test("a rule that had nothing to look at is wrong, if everything was tried", () => {
  const empty = roundOf(result("lost", { checked: 0 }));
  expect(verdictOf(empty, true)).toBe("wrong");
  expect(verdictOf(empty, false)).toBe("right");
});

test("a round that looked at little is not judged", () => {
  const some = (checked: number) => result("lost", { checked, excused: { "given up": 10 } });
  expect(verdictOf(roundOf(some(90)), true)).toBe("right");
  expect(verdictOf(roundOf(some(89)), true)).toBe("not judged");
  const errors = (checked: number) => ({
    ...some(checked),
    rule: "errors while nothing was broken",
  });
  expect(verdictOf(roundOf(errors(3)), true)).toBe("right");
  expect(verdictOf(roundOf(errors(2)), true)).toBe("not judged");
});

test("a round on a machine that was busy for more than half of it is not judged, but can be wrong", () => {
  expect(verdictOf({ ...roundOf(result("lost")), busySeconds: 5 }, true)).toBe("right");
  expect(verdictOf({ ...roundOf(result("lost")), busySeconds: 6 }, true)).toBe("not judged");
  expect(verdictOf({ ...roundOf(lost), busySeconds: 6 }, true)).toBe("wrong");
});

/** What comes of rounds that end like this, one after the other, and how many were run. */
async function judged(...verdicts: readonly Verdict[]) {
  let runs = 0;
  const judge = ({ seed }: Round) => verdicts[seed] ?? "right";
  const last = await runUntilJudged(async () => ({ ...roundOf(), seed: runs++ }), judge);
  return { runs, verdict: judge(last) };
}

test("a round that is not judged is repeated, at most twice", async () => {
  expect(await judged("right")).toEqual({ runs: 1, verdict: "right" });
  expect(await judged("wrong")).toEqual({ runs: 1, verdict: "wrong" });
  expect(await judged("not judged", "right")).toEqual({ runs: 2, verdict: "right" });
  expect(await judged("not judged", "wrong")).toEqual({ runs: 2, verdict: "wrong" });
  const never = ["not judged", "not judged", "not judged", "right"] as const;
  expect(await judged(...never)).toEqual({ runs: 3, verdict: "not judged" });
});

const waited = { fromMilliseconds: 0, untilMilliseconds: 10_000 };
const busyFor = (milliseconds: number) => [
  { what: "busy", fromMilliseconds: -1_000, untilMilliseconds: milliseconds },
];

/** The result for unfinished work, with the other rules that had nothing to check. */
function restOf(ending: Partial<Evidence["ending"]>, busy: Evidence["busy"] = []) {
  const ledger = [bookOf("success")];
  const { evidence } = seenWith({ busy, ledger, ending: endingWith({ ...ending, waited }) });
  const results = check(evidence);
  const [rest] = results.filter(({ rule }) => rule === restRule);
  return {
    ...rest,
    skipped: results.filter(({ checked }) => checked === 0).map(({ rule }) => rule),
  };
}

test("what does not come to rest is wrong, unless the machine was busy for half of the time", () => {
  const unrest = "Something is still on its way.";
  expect(restOf({ unrest })).toMatchObject({ violations: [{ message: unrest }] });
  expect(restOf({ unrest }, busyFor(4_900))).toMatchObject({ violations: [{ message: unrest }] });
  expect(restOf({ unrest }, busyFor(5_000))).toMatchObject({ violations: [], unjudged: [unrest] });
});

test("without rest no rule says that something is missing", () => {
  expect(restOf({ unrest: "…" }).skipped).toContain("orders with a wrong status or amount");
  expect(restOf({}).skipped).not.toContain("orders with a wrong status or amount");
});

test("an order without a final answer is wrong", () => {
  const last = getOf({ status: "pending", stale: true, paymentId: "p1" });
  const unsettled = new Map([[order.orderNo, last]]);
  const message = `no final response; the last one is 200 ${last.answer}`;
  expect(restOf({ unsettled }).violations).toEqual([{ orderNo: order.orderNo, message }]);
  expect(restOf({ unsettled }, busyFor(5_000))).toMatchObject({
    violations: [],
    unjudged: [message],
  });
  expect(restOf({})).not.toHaveProperty("rule");
});

test("a current answer that changes all the time is wrong on a busy machine, too", () => {
  const unsettled = new Map([[order.orderNo, getOf({ status: "success" })]]);
  expect(restOf({ unsettled }, busyFor(5_000)).violations).toHaveLength(1);
});
