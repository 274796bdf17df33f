import { describe, expect, test } from "vitest";
import type { Order } from "../../../shared/orders/order.ts";
import {
  claimCheck,
  claimQuery,
  holdsClaim,
  isFresh,
  isJustCreated,
  noteAnswer,
  noteNews,
  noteRecorded,
  questionAfter,
  renewClaim,
} from "../../../shared/orders/question.ts";
import { type Question, questionKinds } from "../../../shared/orders/question-state.ts";
import { queryAnsweredMilliseconds, queryClaimMilliseconds } from "../../../shared/timing.ts";
import { anAttempt, anOrder } from "./facts.ts";

const now = Date.UTC(2026, 10, 15);
const asked = (question: Question) => anOrder({ question });
const waitingSinceMilliseconds = now;

const questionsUntil = (untilMilliseconds: number): Record<string, Question> => ({
  none: { kind: "none" },
  asking: { kind: "asking", untilMilliseconds, by: 1 },
  awaiting: { kind: "awaiting", untilMilliseconds, factId: "fact" },
  answered: { kind: "answered", untilMilliseconds, isConfirmation: false },
  confirmed: { kind: "answered", untilMilliseconds, isConfirmation: true },
});
const { none, asking, awaiting, answered, confirmed } = questionsUntil(now + 1);

describe("the stored status is current", () => {
  test.each<[string, Order, boolean]>([
    ["of a success", anOrder({ status: "success" }), true],
    [
      "of a confirmed end",
      anOrder({ state: { kind: "confirmed", waitingSinceMilliseconds } }),
      true,
    ],
    [
      "of an end before its last check",
      anOrder({
        status: "timeout",
        state: { kind: "ended", waitingSinceMilliseconds, confirmAtMilliseconds: now },
      }),
      false,
    ],
    [
      "of an end that nobody could confirm",
      anOrder({ status: "failed", state: { kind: "unresolved", waitingSinceMilliseconds } }),
      false,
    ],
    [
      "of an order that the service refused",
      anOrder({ state: { kind: "refused", code: "1", msg: "no", atMilliseconds: now } }),
      true,
    ],
    ["of an order created elsewhere", anOrder({ state: { kind: "foreign" } }), false],
    ["while the service has just confirmed it", asked(confirmed!), true],
    ["once that was a while ago", asked(questionsUntil(now)["confirmed"]!), false],
    ["while somebody asks", asked(asking!), false],
    ["after an answer that contradicts it", asked(answered!), false],
    ["while its news are in the inbox", asked(awaiting!), false],
  ])("%s", (_case, order, isCurrent) => {
    expect(isFresh(order, now)).toBe(isCurrent);
  });
});

describe("an order that was created seconds ago is current", () => {
  const created = (question: Question, seconds = 9) =>
    anOrder({
      question,
      state: { kind: "open", waitingSinceMilliseconds },
      attempts: [anAttempt({ startedAtMilliseconds: now - seconds * 1_000 })],
    });

  test.each<[string, Order, boolean]>([
    ["if nobody has asked since", created(none!), true],
    ["while somebody asks", created(asking!), true],
    ["after an answer that confirmed it", created(questionsUntil(now)["confirmed"]!), true],
    ["not after an answer that contradicts it", created(answered!), false],
    ["not while its news are in the inbox", created(awaiting!), false],
    ["not ten seconds later", created(none!, 10), false],
  ])("%s", (_case, order, isCurrent) => {
    expect(isJustCreated(order, now)).toBe(isCurrent);
  });
});

describe("the claim to ask", () => {
  const untilMilliseconds = now + queryClaimMilliseconds;
  const claim = { kind: "asking", untilMilliseconds, by: 2 ** 31 };

  test.each<[string, Question, boolean, boolean]>([
    ["nobody has", none!, true, true],
    ["another caller has", asking!, false, false],
    ["another caller had", questionsUntil(now)["asking"]!, true, true],
    ["nobody needs after an answer, but a check does", confirmed!, false, true],
    ["nobody needs after a contradiction, but a check does", answered!, false, true],
    ["nobody needs while news are in the inbox", awaiting!, false, false],
    ["somebody needs if the news never came", questionsUntil(now)["awaiting"]!, true, true],
  ])("that %s", (_case, question, forQuery, forCheck) => {
    const order = asked(question);
    expect(claimQuery(order, now, 0.5)?.question).toEqual(forQuery ? claim : undefined);
    expect(claimCheck(order, now, 0.5)?.question).toEqual(forCheck ? claim : undefined);
  });

  test("is the caller's own by its number", () => {
    const mine = renewClaim(anOrder(), now, 0.5);
    expect(holdsClaim(mine, mine)).toBe(true);
    expect(holdsClaim(renewClaim(anOrder(), now, 0.25), mine)).toBe(false);
    expect(holdsClaim(asked(awaiting!), mine)).toBe(false);
    expect(holdsClaim(mine, asked(none!))).toBe(false);
  });
});

describe("every move of every question is the table's", () => {
  const moved = {
    asked: (order: Order) => renewClaim(order, now, 0.5),
    answered: (order: Order) => noteAnswer(order, true, now),
    news: (order: Order) => noteNews(order, "fact", now),
    recorded: (order: Order) => noteRecorded(order, "fact"),
  };
  const cases = questionKinds.flatMap((kind) =>
    (["asked", "answered", "news", "recorded"] as const).map((move) => [kind, move] as const),
  );

  test.each(cases)("%s, %s", (kind, move) => {
    const order = asked(questionsUntil(now + 1)[kind]!);
    expect(moved[move](order).question.kind).toBe(questionAfter(kind, move));
  });

  test("an answer lasts for seconds", () => {
    const untilMilliseconds = now + queryAnsweredMilliseconds;
    const question = { kind: "answered", untilMilliseconds, isConfirmation: false };
    expect(noteAnswer(anOrder(), false, now).question).toEqual(question);
    const news = { kind: "awaiting", untilMilliseconds, factId: "fact" };
    expect(noteNews(anOrder(), "fact", now).question).toEqual(news);
  });

  test("news that were recorded before they are noted are an answer, and another fact is not awaited", () => {
    const recorded = noteNews(anOrder({ facts: { fact: 1 } }), "fact", now);
    expect(recorded.question).toMatchObject({ kind: "answered", isConfirmation: true });
    const order = asked(awaiting!);
    expect(noteRecorded(order, "another")).toBe(order);
    expect(isFresh(noteRecorded(order, "fact"), now)).toBe(true);
  });
});
