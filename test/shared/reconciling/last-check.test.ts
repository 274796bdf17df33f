import { describe, expect, test } from "vitest";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { dueAtOnce } from "../../../shared/orders/due.ts";
import { statusFact } from "../orders/facts.ts";
import {
  day,
  dueOrder,
  hour,
  minute,
  saveIn,
  simulateRuns,
  start,
  timedOutOrder,
} from "./simulated-runs.ts";

const refusal = new GatewayError("refused", { refusal: { code: "50001", msg: "system busy" } });
const pending = { status: "pending" };
const paid = { status: "success", payAmount: 12.5, currency: "EUR", transactionId: "T1" };

const sayingNothing = [
  ["a refusal", refusal],
  ["a success without an amount", { status: "success" }],
  ["a status that is no end", pending],
  ["news that are no end", { status: "confirming" }],
  ["no answer", new GatewayError("timed-out")],
] as const;

describe("the last check of a timeout", () => {
  test.each(sayingNothing)(
    "is made again soon after %s, and finds a late success",
    async (_case, bad) => {
      const answers: object[] = [bad, paid];
      const runs = simulateRuns([timedOutOrder("O")], () => answers.shift()!);
      await runs.runAt(start);
      const next = runs.order("O").dueAtMilliseconds!;
      expect(next - start).toBeGreaterThan(8 * minute);
      expect(next - start).toBeLessThan(12 * minute);
      expect(await runs.runAt(next)).toMatchObject({ News: 1 });
    },
  );

  test.each(sayingNothing)(
    "that only ever gets %s ends as unresolved, not in silence",
    async (_case, bad) => {
      const runs = simulateRuns([timedOutOrder("O")], () => bad);
      const dueAt = () => runs.order("O").dueAtMilliseconds;
      for (let due = dueAt(); due !== undefined; due = dueAt()) {
        // Without any response the service may be down, so the order is asked about every ten minutes.
        expect(runs.lines.length).toBeLessThan(
          bad instanceof Error && bad !== refusal ? 1_400 : 60,
        );
        expect(runs.order("O").flags).toEqual([]);
        await runs.runAt(due);
      }
      expect(runs.clock.now - start).toBeGreaterThanOrEqual(8 * day);
      expect(runs.lines.filter((line) => "Unresolved" in line)).toEqual([runs.lines.at(-1)]);
      expect(runs.lines.at(-1)).toMatchObject({ Unresolved: 1, aggregateKeys: ["M1#order#O"] });
      expect(runs.order("O")).toMatchObject({ status: "timeout", flags: ["unresolved"] });
    },
  );

  test.each([
    ["does not tell it", refusal],
    ["is still open", pending],
  ])("ends with the end of each payment, and not while one of two %s", async (_case, open) => {
    let first: object = open;
    const order = timedOutOrder("O", { paymentIds: ["P1", "P2"] });
    const { merchantId, orderNo } = order;
    const fact = statusFact("timeout", { merchantId, orderNo, paymentId: "P1" });
    const runs = simulateRuns([applyPaymentFact(order, fact).aggregate], (id) =>
      id === "P1" ? first : { status: "timeout" },
    );
    expect(runs.order("O").status).toBe("timeout");
    await runs.runAt(start);
    expect(runs.order("O").dueAtMilliseconds).toBeGreaterThan(start);
    first = { status: "timeout" };
    await runs.runAt(runs.order("O").dueAtMilliseconds!);
    expect(runs.order("O").dueAtMilliseconds).toBeUndefined();
    expect(runs.order("O").flags).toEqual(["otherAttempt"]);
  });

  test("finds a success by the status of a refund, and keeps that status if it shows none", async () => {
    let payAmount = 5;
    const runs = simulateRuns([timedOutOrder("O")], () => {
      return { status: "refund_success", payAmount, currency: "EUR" };
    });
    expect(await runs.runAt(start)).toMatchObject({ RefundStatusAnswered: 1 });
    const refundReport = { status: "refund_success" };
    expect(runs.order("O")).toMatchObject({ status: "timeout", refundReport });
    payAmount = 12.5;
    expect(await runs.runAt(start + minute)).toMatchObject({ News: 1 });
    expect(runs.inbox).toHaveLength(1);
  });

  test("of a merchant that was removed ends as unresolved, too", async () => {
    const runs = simulateRuns([timedOutOrder("O", { merchantId: "GONE" })], () => pending);
    await runs.runAt(start);
    const next = runs.order("O").dueAtMilliseconds!;
    expect(next).toBeGreaterThan(start + 8 * minute);
    await runs.runAt(next);
    expect(runs.order("O").dueAtMilliseconds! - next).toBeGreaterThan(16 * minute);
    expect(await runs.runAt(start + 8 * day)).toMatchObject({ Unresolved: 1 });
    expect(runs.order("O").dueAtMilliseconds).toBeUndefined();
    expect(runs.asked).toEqual([]);
  });
});

describe("a confirmed timeout that an operator asks about once more", () => {
  /** The last check confirmed it at the start, then an operator asks, long after the repeats would have ended. */
  const askedAgain = async (answer: object, later = 20 * day) => {
    const answers: object[] = [{ status: "timeout" }];
    const runs = simulateRuns([timedOutOrder("O")], () => answers.shift() ?? answer);
    await runs.runAt(start);
    expect(runs.order("O")).toMatchObject({
      dueAtMilliseconds: undefined,
      state: { kind: "confirmed" },
    });
    saveIn(runs.items, dueAtOnce(runs.order("O"), start + later));
    const line = await runs.runAt(start + later);
    return { ...runs, line };
  };

  test.each([
    ["a refusal", refusal],
    ["no answer", new GatewayError("timed-out")],
    ["an answer that cannot be read", { status: "success" }],
  ])("is as settled as before after %s", async (_case, bad) => {
    const { order, line, asked } = await askedAgain(bad);
    expect(asked).toHaveLength(2);
    expect(line).not.toHaveProperty("Unresolved");
    expect(order("O").flags).toEqual([]);
    expect(order("O").state.kind).toBe("confirmed");
  });

  test("is asked again after no answer as long as repeats are made, and is never unresolved", async () => {
    const { order, runAt } = await askedAgain(new GatewayError("timed-out"), 5 * day);
    expect(order("O").dueAtMilliseconds).toBeGreaterThan(start + 5 * day);
    const dueAt = () => order("O").dueAtMilliseconds;
    for (let due = dueAt(); due !== undefined; due = dueAt()) await runAt(due);
    expect(order("O").flags).toEqual([]);
  });

  test("is confirmed again by the same answer, and paid by a success", async () => {
    const confirmed = await askedAgain({ status: "timeout" });
    expect(confirmed.order("O").state.kind).toBe("confirmed");
    expect((await askedAgain(paid)).line).toMatchObject({ News: 1 });
  });

  test.each([
    ["a status that is no end", pending],
    ["news that are no end", { status: "confirming" }],
  ])("is unresolved after %s, because the service contradicts the end", async (_case, answer) => {
    const { order, line } = await askedAgain(answer);
    expect(line).toMatchObject({ Unresolved: 1 });
    expect(order("O").flags).toEqual(["unresolved"]);
  });

  test("is unresolved after the status of a refund, which contradicts it, too", async () => {
    const { order, line } = await askedAgain({ status: "refund_success" });
    expect(line).toMatchObject({ Unresolved: 1 });
    expect(order("O")).toMatchObject({
      flags: ["mismatch", "unresolved"],
      isUnpaidDespiteRefund: true,
    });
  });
});

test("a refusal is an answer about an open order: the usual gap follows", async () => {
  const runs = simulateRuns([dueOrder("O", 3 * hour)], () => refusal);
  await runs.runAt(start);
  expect(runs.order("O").dueAtMilliseconds).toBeGreaterThan(start + 3 * hour);
});

describe("an order that is nine days late", () => {
  const late = () => dueOrder("O", 9.5 * day);

  test("is not flagged by the claim, so that a crash or a lost race leaves it due", async () => {
    const runs = simulateRuns([late()], () => {
      expect(runs.order("O").flags).toEqual([]);
      expect(runs.order("O").dueAtMilliseconds).toBeGreaterThan(start);
      // Another writer is faster than the end of the check.
      saveIn(runs.items, runs.order("O"));
      return pending;
    });
    expect(await runs.runAt(start)).not.toHaveProperty("Unresolved");
    expect(runs.order("O").flags).toEqual([]);
    expect(runs.order("O").dueAtMilliseconds).toBeGreaterThan(start);
  });

  test.each([
    ["the status it has", pending],
    ["news that leaves it open", { status: "confirming" }],
    ["no answer", new GatewayError("timed-out")],
  ])("is unresolved and counted after %s", async (_case, answer) => {
    const runs = simulateRuns([late()], () => answer);
    expect(await runs.runAt(start)).toMatchObject({ Unresolved: 1 });
    expect(runs.order("O").flags).toEqual(["unresolved"]);
    expect(runs.order("O").dueAtMilliseconds).toBeUndefined();
  });

  test.each([["paid", paid] as const, ["timed out", { status: "timeout" }] as const])(
    "is not unresolved after news that it is %s, and stays due until the end is recorded",
    async (_case, answer) => {
      const runs = simulateRuns([late()], () => answer);
      expect(await runs.runAt(start)).not.toHaveProperty("Unresolved");
      expect(runs.inbox).toHaveLength(1);
      expect(runs.order("O").flags).toEqual([]);
      expect(runs.order("O").dueAtMilliseconds).toBeGreaterThan(start);
    },
  );

  test("is unresolved if a question fails and the time is over before the next one", async () => {
    const order = dueOrder("O", 9.5 * day, { paymentIds: ["P1", "P2"] });
    let questions = 0;
    const runs = simulateRuns([order], () => new GatewayError("timed-out"), {
      hasTimeToAsk: () => questions++ < 1,
    });
    expect(await runs.runAt(start)).toMatchObject({ Asked: 1, Unresolved: 1 });
  });

  test("is not unresolved if one of its payments is paid and the other fails", async () => {
    const order = dueOrder("O", 9.5 * day, { paymentIds: ["P1", "P2"] });
    const runs = simulateRuns([order], (id) =>
      id === "P1" ? paid : new GatewayError("timed-out"),
    );
    expect(await runs.runAt(start)).toMatchObject({ News: 1, QueryFailed: 1 });
    expect(runs.order("O").flags).toEqual([]);
  });
});

test("news leaves the next check as the claim has set it", async () => {
  const runs = simulateRuns([dueOrder("O", 5 * hour)], () => ({ status: "confirming" }));
  await runs.runAt(start);
  // Stored and claimed; the usual gap would be five hours.
  expect(runs.order("O").revision).toBe(2);
  expect(runs.order("O").dueAtMilliseconds).toBeLessThan(start + 15 * minute);
});
