import { describe, expect, test } from "vitest";
import {
  type AttemptEnd,
  beginCreation,
  type CreationRequest,
  endCreation,
} from "../../../shared/orders/creation.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { moveState } from "../../../shared/orders/order-moves.ts";
import { creationLeaseMilliseconds, refusalMemoryMilliseconds } from "../../../shared/timing.ts";
import { anOrder, expected } from "./facts.ts";

const now = 1_794_705_000_000;
const request: CreationRequest = {
  amount: expected,
  channel: "WEB",
  callbackUrl: "https://api.example/callbacks",
  content: { paymentAmount: "ten" },
  paymentTimeMilliseconds: now,
  expiresAtMilliseconds: now + 1_800_000,
};
const created: AttemptEnd = {
  state: "created",
  paymentId: "P1",
  checkoutUrl: "https://pay.test/P1",
};
const refusal = { code: "40001", msg: "no", atMilliseconds: now };

function begun(order: Order = anOrder(), attemptId = "one", at = now): Order {
  const beginning = beginCreation(order, request, attemptId, at);
  if (beginning.kind !== "begun") throw new Error(beginning.kind);
  return beginning.order;
}

const begin = (order: Order, over: Partial<CreationRequest> = {}, at = now) =>
  beginCreation(order, { ...request, ...over }, "two", at);

const another = { content: { paymentAmount: "eleven" } };

const afterLease = now + creationLeaseMilliseconds;

describe("beginning to create an order", () => {
  test("records the attempt, its time and what is to be paid", () => {
    expect(begun()).toMatchObject({
      expected,
      state: { kind: "sending" },
      attempts: [
        {
          attemptId: "one",
          state: "sending",
          paymentTimeMilliseconds: now,
          untilMilliseconds: afterLease,
        },
      ],
      creation: { content: { paymentAmount: "ten" } },
    });
  });

  test("is not possible once the service has reported on the order, wherever it was created", () => {
    const refused = endCreation(begun(), "one", { state: "refused" });
    const unknown = endCreation(begun(), "one", { state: "unknown" });
    for (const order of [anOrder(), refused, unknown]) {
      for (const move of ["heard", "told", "ended", "paid"] as const) {
        expect(begin(moveState(order, move))).toEqual({ kind: "known-to-service" });
      }
    }
  });

  test("waits while somebody may be talking to the service", () => {
    expect(begin(begun())).toEqual({
      kind: "in-progress",
      remainingMilliseconds: creationLeaseMilliseconds,
    });
    expect(begin(begun(), {}, afterLease - 1)).toMatchObject({ kind: "in-progress" });
    expect(begin(begun(), {}, afterLease)).toMatchObject({ kind: "begun" });
  });

  test("finds an order that is created, and refuses another content under its number", () => {
    const order = endCreation(begun(), "one", created);
    expect(begin(order)).toEqual({ kind: "created" });
    expect(begin(order, another)).toEqual({ kind: "differs", fields: ["paymentAmount"] });
  });

  test("is possible immediately after a lost response is stored, and keeps the first attempt", () => {
    const unknown = endCreation(begun(), "one", { state: "unknown" });
    const again = begin(unknown);
    expect(again.kind === "begun" && again.order.attempts.map(({ state }) => state)).toEqual([
      "unknown",
      "sending",
    ]);
    expect(begin(unknown, another)).toEqual({ kind: "differs", fields: ["paymentAmount"] });
  });
});

describe("a refusal", () => {
  const refused = () => endCreation(begun(), "one", { state: "refused", refusal });

  test("frees the number for any content", () => {
    expect(begin(refused(), another)).toMatchObject({ kind: "begun" });
  });

  test("is repeated without a call for the same content, for a few seconds", () => {
    expect(begin(refused())).toMatchObject({ kind: "refused", refusal: { code: "40001" } });
    const later = now + refusalMemoryMilliseconds;
    expect(begin(refused(), {}, later)).toMatchObject({ kind: "begun" });
  });

  test("of a repeat does not free the number while an earlier attempt may have been taken", () => {
    const unknown = endCreation(begun(), "one", { state: "unknown" });
    const again = endCreation(begun(unknown, "two"), "two", { state: "refused", refusal });
    expect(begin(again, another)).toEqual({ kind: "differs", fields: ["paymentAmount"] });
    expect(begin(again)).toMatchObject({ kind: "begun" });
  });
});

describe("the end of an attempt", () => {
  test("leaves another caller's attempt alone", () => {
    const second = begun(begun(), "two", afterLease);
    const ended = endCreation(second, "one", { state: "refused", refusal });
    expect(ended.attempts).toMatchObject([
      { state: "refused", refusal },
      { state: "sending", untilMilliseconds: afterLease + creationLeaseMilliseconds },
    ]);
    expect(ended.attempts[0]).not.toHaveProperty("untilMilliseconds");
    expect(ended.state.kind).toBe("outcome-unknown");
  });

  test("keeps every payment that was ever returned, and sends the consumer to the latest", () => {
    const second = begun(endCreation(begun(), "one", { state: "unknown" }), "two");
    const both = endCreation(
      endCreation(second, "two", { ...created, paymentId: "P2" }),
      "one",
      created,
    );
    expect(both.paymentIds).toEqual(["P2", "P1"]);
    expect(both.creation?.paymentId).toBe("P2");
    expect(both.attempts.map(({ paymentId }) => paymentId)).toEqual(["P1", "P2"]);
    const first = endCreation(second, "one", created);
    expect(first.creation?.paymentId).toBe("P1");
    const then = endCreation(first, "two", {
      ...created,
      paymentId: "P2",
      isNumberShortened: true,
    });
    expect(then.creation?.paymentId).toBe("P2");
    expect([first.flags, then.flags]).toEqual([[], ["shortenedNumber"]]);
  });
});

test("attempts do not fill the item: old refusals go, and unanswered ones end the repeats", () => {
  let order = anOrder();
  for (let index = 0; index < 80; index += 1) {
    order = endCreation(begun(order, `r${index}`), `r${index}`, { state: "refused" });
  }
  const kept = Array.from({ length: 51 }, (_item, index) => `r${index + 29}`);
  expect(order.attempts.map(({ attemptId }) => attemptId)).toEqual(kept);
  for (let index = 0; index < 50; index += 1) {
    order = endCreation(begun(order, `u${index}`), `u${index}`, { state: "unknown" });
  }
  expect(begin(order)).toEqual({ kind: "exhausted" });
  expect(order.attempts.filter(({ state }) => state === "refused")).toHaveLength(50);
});
