import { describe, expect, test } from "vitest";
import { createColours } from "../../../shared/text/terminal-text.ts";
import { lookedUpText } from "../../../tools/cli/commands/order-text.ts";
import { attemptText, receiptText } from "../../../tools/cli/commands/receipt-text.ts";
import type { LookedUp } from "../../../tools/operations/orders/look-up.ts";
import type { CallbackAttempt } from "../../../tools/operations/timeline/callback-attempts.ts";
import type { OrderTimeline } from "../../../tools/operations/timeline/order-timeline.ts";
import type { Delivery, ReceiptEntry } from "../../../tools/operations/timeline/receipt-entry.ts";

const colours = createColours(true);
const at = "2026-11-15T08:25:20Z";
const text = '{"code":1}';

const receiptWith = (...deliveries: Delivery[]): ReceiptEntry => ({
  kind: "receipt",
  at,
  recordedAt: at,
  merchantId: "shop-1",
  origin: "callback",
  about: "order",
  outcome: "published",
  type: "payment.order.success",
  flags: [],
  isConflict: false,
  callbackId: "callback-1",
  keyVersion: "version-1",
  published: { eventId: "event-1", sequence: 1, deliveries, event: {} },
  payload: { text },
});

describe("a delivery", () => {
  const shown = (delivery: Partial<Delivery>) =>
    receiptText(receiptWith({ subscriber: "books", state: "sent", ...delivery }), colours, false);

  test.each([
    ["that is done is green", { at }, colours.green(`delivered ${at}`)],
    [
      "that came late is yellow",
      { at, late: { seconds: 60, after: "the others" } },
      colours.yellow(`delivered ${at}, 1 min after the others`),
    ],
    [
      "whose subscriber has dead letters is yellow",
      { at, deadLetters: 2 },
      colours.yellow(`delivered ${at}; books has 2 dead letters`),
    ],
    ["that waits is red", { state: "waiting" }, colours.red("waiting")],
    [
      "that was given up is red",
      { state: "given-up", since: at, errorName: "QueueDoesNotExist" },
      colours.red(`not retried since ${at}, because QueueDoesNotExist`),
    ],
    ["that was dismissed is dim", { state: "dismissed" }, `books ${colours.dim("dismissed")}`],
  ] as const)("%s", (_case, delivery, painted) => {
    expect(shown(delivery)).toContain(painted);
  });
});

describe("a request with a callback", () => {
  const attempt: CallbackAttempt = {
    kind: "callback-attempt",
    at,
    callbackId: "callback-1",
    isAuthentic: true,
    outcome: "accepted",
    httpStatus: 200,
    keyStage: "previous",
    durationMilliseconds: 12,
    faults: [],
  };

  test("says which keys verified it", () => {
    expect(attemptText(attempt, colours)).toBe(
      `${at}  attempt   returned 200 in 12 ms  accepted  verified by the previous keys\n`,
    );
  });

  test.each([
    [400, "returned 400 in 12 ms"],
    [503, "returned 503 in 12 ms"],
    [undefined, "no response in 12 ms"],
  ])("is red with the status %s, and says why", (httpStatus, answer) => {
    const reason = "wrong-signature";
    const refused = {
      ...attempt,
      httpStatus,
      reason,
      keyStage: undefined,
      outcome: "not-authentic",
    };
    const shown = attemptText(refused as CallbackAttempt, colours);
    const [begin, end] = colours.red("|").split("|");
    expect(shown).toContain(`${begin}${answer}`);
    expect(shown).toContain(` (wrong-signature)${end}\n`);
  });
});

describe("an order", () => {
  const order = {
    merchantId: "shop-1",
    orderNo: "it's 1",
    status: "success",
    statusOrigin: "callback",
    statusAt: at,
    stale: false,
    outcomeUnknown: false,
    amount: { value: "12.30", currency: "EUR", minorUnits: 1230 },
    paidAmount: { value: "12.00", currency: "EUR", minorUnits: 1200 },
    refundedAmount: { value: "5.00", currency: "EUR", minorUnits: 500 },
    refunds: [{ refundId: "refund-1" }],
    payments: [{ paymentId: "payment-1" }, { paymentId: "payment-2" }],
    flags: ["mismatch"],
  };
  const linesOf = (view: object | undefined, entries: readonly object[] = [], hit = {}) => {
    const found = { what: "order number", merchantId: "shop-1", orderNo: "it's 1", ...hit };
    const timeline = { order: view, merchantId: "shop-1", orderNo: "it's 1", entries };
    const answer = { hit: found, timeline: timeline as unknown as OrderTimeline } as LookedUp;
    const now = Date.parse(at) + 60_000;
    const options = { colours: createColours(false), stack: " --stack Paycast", now };
    return lookedUpText(answer, { ...options, withPayload: false }).split("\n");
  };

  test("has its amounts, what was paid and what was refunded, each with its currency", () => {
    expect(linesOf(order)).toEqual([
      "order     it's 1",
      "merchant  shop-1",
      `status    success  by callback, ${at} (1 min ago)`,
      "amount    12.30 EUR",
      "paid      12.00 EUR",
      "refunded  5.00 EUR, 1 refund",
      "payments  payment-1, payment-2",
      "flags     mismatch",
      "",
      "",
    ]);
  });

  test("without a refunded amount has the number of its refunds, and none without refunds", () => {
    const two = { ...order, refundedAmount: undefined, refunds: [{}, {}] };
    expect(linesOf(two)).toContain("refunded  2 refunds");
    const none = linesOf({ ...order, refundedAmount: undefined, refunds: [] });
    expect(none.filter((line) => line.startsWith("refunded"))).toEqual([]);
  });

  test("that was found by something else says as what, and of whom", () => {
    const [first] = linesOf(order, [], { what: "payment" });
    expect(first).toBe("Found as payment of merchant shop-1, order it's 1.");
  });

  test("of which nothing was understood says so", () => {
    expect(linesOf(undefined)).toContain(
      "No status is known: no callback of it could be understood.",
    );
  });

  test("with dead letters names the command that lists them", () => {
    const receipt = receiptWith({ subscriber: "books", state: "sent", deadLetters: 1 });
    expect(linesOf(order, [receipt])).toEqual(
      expect.arrayContaining([
        "books has 1 dead letter. It may be an event of this order.",
        "To list them: npx paycast dead-letters list books --stack Paycast",
      ]),
    );
  });

  test("with an event that was given up names a redrive that a shell takes literally", () => {
    const given = { state: "given-up", since: at, errorName: "QueueDoesNotExist" } as const;
    expect(linesOf(order, [receiptWith({ subscriber: "books", ...given })])).toContain(
      String.raw`To retry: npx paycast attention redrive --order 'it'\''s 1' --merchant shop-1 --stack Paycast`,
    );
  });

  test("that the service refused has its answer, without what drives a terminal", () => {
    const refusal = { code: "40001", msg: "no \u001b[2J" };
    expect(linesOf(order, [{ kind: "attempt", at, state: "refused", refusal }])).toContain(
      `${at}  create    rejected with 40001: no \ufffd[2J`,
    );
  });
});

test("a callback that names no order is shown with what it said, its requests and what is missing", () => {
  const hit = { what: "callback", merchantId: "shop-1", isQuarantined: true };
  const callback = { receipts: [receiptWith()], attempts: [], gap: "The log has a gap." };
  const options = {
    colours: createColours(false),
    stack: "",
    now: Date.parse(at),
    withPayload: false,
  };
  const shown = lookedUpText({ hit, callback }, options);
  expect(shown).toMatch(
    /^Found as callback of merchant shop-1, linked to no order, quarantined\.\n/,
  );
  expect(shown).toContain('"code": 1');
  expect(shown).toMatch(/\nThe log has a gap\.\n$/);
});
