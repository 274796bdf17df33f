import { expect, test } from "vitest";
import type { PaymentFact } from "../../../shared/facts/fact.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { countEnd } from "../../../shared/orders/count-end.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { anOrder, statusFact, successFact } from "./facts.ts";

/** What each fact in turn counts, and the order after the last one. */
function counted(...facts: readonly PaymentFact[]) {
  let order: Order = anOrder();
  const ends = facts.map((fact) => {
    const { applied, end } = countEnd(order, applyPaymentFact(order, fact), fact);
    order = applied.aggregate;
    return end && [end.kind, end.origin, end.learnedAtMilliseconds];
  });
  return { ends, order };
}

const [early, late] = [1_000, 900_000];
const byQuery = { origin: "query", learnedAtMilliseconds: early } as const;
const byCallback = { origin: "callback", learnedAtMilliseconds: late } as const;

test("an end counts once, by the way it is learned first", () => {
  const byEarlyCallback = successFact({ ...byCallback, learnedAtMilliseconds: early });
  expect(counted(byEarlyCallback, byEarlyCallback, successFact(byQuery)).ends).toEqual([
    ["learned", "callback", early],
    undefined,
    undefined,
  ]);
});

test("the first callback that tells an end that a query found counts for the time of the query", () => {
  const { ends, order } = counted(
    successFact(byQuery),
    successFact(byQuery),
    successFact(byCallback),
    successFact(byCallback),
  );
  expect(ends).toEqual([
    ["learned", "query", early],
    undefined,
    ["told", "callback", early],
    undefined,
  ]);
  expect(order).not.toHaveProperty("untoldEnd");
});

test("an end that no callback tells stays noted on the order", () => {
  const { order } = counted(statusFact("timeout", byQuery));
  expect(order.untoldEnd?.learnedAtMilliseconds).toBe(early);
});

test("a late success is an end of its own, and the earlier end can still be told", () => {
  const { ends } = counted(
    statusFact("timeout", byQuery),
    successFact(byCallback),
    statusFact("timeout", byCallback),
  );
  expect(ends).toEqual([
    ["learned", "query", early],
    ["learned", "callback", late],
    ["told", "callback", early],
  ]);
});

test("a status that does not end the order counts nothing", () => {
  expect(counted(statusFact("confirming", byQuery)).ends).toEqual([undefined]);
});
