import { describe, expect, test } from "vitest";
import type { Order } from "../../../shared/orders/order.ts";
import {
  claimCheck,
  claimQuery,
  isFresh,
  noteAnswer,
  noteNews,
  renewClaim,
} from "../../../shared/orders/query-claim.ts";
import { queryAnsweredMilliseconds, queryClaimMilliseconds } from "../../../shared/timing.ts";
import { aCreation, anOrder } from "./facts.ts";

const now = Date.UTC(2026, 10, 15);
const day = 86_400_000;
const learnedDaysAgo = (days: number) => ({
  payment: { learnedAt: new Date(now - days * day).toISOString() },
});
const creation = aCreation(now);
const refusal = { code: "1", msg: "no", atMilliseconds: now };
/** An order that ended without money. Its last check removes the due time. */
const ended = (over: Partial<Order> = {}) =>
  anOrder({ status: "timeout", creation, paymentIds: ["P1"], ...learnedDaysAgo(2), ...over });
const asked = (endsAtMilliseconds: number, over: Partial<Order["query"]> = {}) =>
  anOrder({ query: { endsAtMilliseconds, answered: false, ...over } });

describe("the stored status is current", () => {
  test.each<[string, Order, boolean]>([
    ["of a success", anOrder({ status: "success" }), true],
    ["of a timeout that the last check confirmed", ended(), true],
    ["of a failure that the last check confirmed", ended({ status: "failed" }), true],
    ["of a timeout before its last check", ended({ dueAtMilliseconds: now - day }), false],
    ["of a timeout that nobody could confirm", ended({ flags: ["unresolved"] }), false],
    ["of a timeout that nobody can ask about", ended({ paymentIds: [] }), false],
    ["of an order that was created elsewhere", ended({ creation: undefined }), false],
    ["of an order that the service refused", anOrder({ creation: { ...creation, refusal } }), true],
    ["of an open order, however old", ended({ status: "confirming", ...learnedDaysAgo(9) }), false],
    ["while the service has just confirmed it", asked(now + 1, { answered: true }), true],
    ["once that was a while ago", asked(now, { answered: true }), false],
    ["while somebody asks", asked(now + 1), false],
    ["while its news are in the inbox", asked(now + 1, { awaits: "f", answered: true }), false],
    [
      "once it has the fact that it awaited",
      { ...asked(now + 1, { awaits: "f" }), facts: { f: 1 } },
      true,
    ],
  ])("%s", (_case, order, isCurrent) => {
    expect(isFresh(order, now)).toBe(isCurrent);
  });
});

describe("the claim to ask", () => {
  const endsAtMilliseconds = now + queryClaimMilliseconds;
  const claim = { endsAtMilliseconds, answered: false, by: 2 ** 31 };

  test.each<[string, Order, boolean, boolean]>([
    ["nobody has", anOrder(), true, true],
    ["another caller has", asked(now + 1, { by: 1 }), false, false],
    ["another caller had", asked(now), true, true],
    [
      "nobody needs after an answer, but a check does",
      asked(now + 1, { answered: true }),
      false,
      true,
    ],
    [
      "nobody needs after an answer that contradicts the status, but a check does",
      noteAnswer(anOrder(), false, now),
      false,
      true,
    ],
    ["nobody needs while news are in the inbox", noteNews(anOrder(), "fact", now), false, false],
  ])("that %s", (_case, order, forQuery, forCheck) => {
    expect(claimQuery(order, now, 0.5)?.query).toEqual(forQuery ? claim : undefined);
    expect(claimCheck(order, now, 0.5)?.query).toEqual(forCheck ? claim : undefined);
    expect(renewClaim(order, now, 0.5)).toEqual({ ...order, query: claim });
  });

  test("is short after a result that confirms the status or is still in the inbox", () => {
    const endsAtMilliseconds = now + queryAnsweredMilliseconds;
    const order = anOrder();
    for (const answered of [true, false]) {
      expect(noteAnswer(order, answered, now)).toEqual({
        ...order,
        query: { endsAtMilliseconds, answered },
      });
    }
    const query = { endsAtMilliseconds, answered: false, awaits: "fact" };
    expect(noteNews(order, "fact", now)).toEqual({ ...order, query });
  });
});
