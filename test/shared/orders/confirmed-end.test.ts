import { describe, expect, test } from "vitest";
import { endCreation } from "../../../shared/orders/creation.ts";
import { dueAfterAnswer, dueAtOnce, endRepeats } from "../../../shared/orders/due.ts";
import { afterFact, day, dueOf, dueOrder, hour, now } from "./due-order.ts";
import { anAttempt, statusFact } from "./facts.ts";

describe("a confirmed end", () => {
  const timedOut = afterFact(dueOrder(), statusFact("timeout"));
  const confirmed = dueAfterAnswer(timedOut, now + day);

  test("is confirmed by the last check, and not by an earlier one", () => {
    expect(dueAfterAnswer(timedOut, now + hour).state.kind).toBe("ended");
    expect(confirmed.state.kind).toBe("confirmed");
  });

  test("is in doubt after another end, a fact of another attempt or a new attempt", () => {
    const attempts = [
      anAttempt({ state: "unknown" }),
      anAttempt({ attemptId: "attempt-2", paymentTimeMilliseconds: now, paymentId: "P1" }),
    ];
    const ofFirst = statusFact("failed", { createdAtMilliseconds: 1_794_705_000_000 });
    const other = afterFact({ ...confirmed, attempts }, ofFirst, now + 2 * day);
    expect(dueOf(other)).toBe(now + 2 * day);
    const end = { state: "created", paymentId: "P2", checkoutUrl: "https://pay.example" } as const;
    const created = endCreation(confirmed, "attempt-1", end);
    const failed = afterFact(confirmed, statusFact("failed"), now + 2 * day);
    for (const order of [other, created, failed]) expect(order.state.kind).toBe("ended");
  });

  test("stays confirmed if an operator asks for another check and it gets no response", () => {
    const checked = endRepeats(dueAtOnce(confirmed, now + 10 * day), now + 10 * day);
    expect(checked).toEqual(confirmed);
    expect(checked.flags).toEqual([]);
  });
});
