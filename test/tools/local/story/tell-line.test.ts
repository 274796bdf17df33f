import { describe, expect, test } from "vitest";
import type { LogFields, Metrics } from "../../../../shared/telemetry/log-line.ts";
import { hearStory, storyOf } from "./story.ts";

type Row = [line: string | undefined, fields: LogFields, metrics?: Metrics];

const tells = (service: string, rows: Row[]) =>
  test.each(rows)("%s", (line, fields, metrics) => {
    expect(storyOf(service, fields, metrics)).toEqual(line === undefined ? [] : [line]);
  });

const fact = { merchantId: "M", orderNo: "ORDER-1001", eventName: "payment.order.success" };

describe("process-callback", () => {
  const deliveredTo = ["fulfilment", "order-history"];
  const failure = { subscribers: ["analytics"], errorName: "QueueDoesNotExist" };
  const quarantined = { outcome: "quarantined" as const, reason: "event-unknown" };
  tells("process-callback", [
    [
      "ORDER-1001 success → fulfilment ✓ order-history ✓",
      { outcome: "published", ending: "delivered", ...fact, deliveredTo, subscribers: [] },
    ],
    [
      "ORDER-1001 success → fulfilment ✓ order-history ✓ analytics ✗ QueueDoesNotExist (will retry)",
      { outcome: "published", ending: "given-back", ...fact, deliveredTo, ...failure },
    ],
    [
      "ORDER-1001 success → analytics ✗ QueueDoesNotExist (undeliverable)",
      { outcome: "resumed", ending: "undeliverable", ...fact, ...failure },
    ],
    [
      "ORDER-1001 success [late, mismatch] → fulfilment ✓ order-history ✓",
      { outcome: "published", ...fact, flags: ["late", "mismatch"], deliveredTo },
    ],
    ["ORDER-1001 success → no subscriber", { outcome: "published", ...fact }],
    ["ORDER-1001 success already known, nothing published", { outcome: "known-fact", ...fact }],
    ["ORDER-1001 success arrived again, nothing published", { outcome: "duplicate", ...fact }],
    [
      "payment PAY-1 refund failed → fulfilment ✓ order-history ✓",
      {
        outcome: "published",
        paymentId: "PAY-1",
        refundId: "RF-1",
        eventName: "payment.refund.failed",
        deliveredTo,
      },
    ],
    ["quarantined event-unknown ORDER-7", { ...quarantined, orderNo: "ORDER-7" }],
    [
      "process-callback stamp refused stamp-missing",
      { outcome: "stamp-refused", reason: "stamp-missing" },
    ],
    [
      "process-callback redrive ignored record-gone",
      { outcome: "redrive-ignored", reason: "record-gone" },
    ],
    [
      "ORDER-7 success restored in its order, nothing published",
      { outcome: "restored", orderNo: "ORDER-7", eventName: "payment.order.success" },
    ],
    [
      "quarantined event-unknown callback C-1 (No such event.)",
      { ...quarantined, callbackId: "C-1", detail: "No such event." },
    ],
    [
      "process-callback failed aggregate-contended ORDER-7",
      {
        outcome: "failed",
        orderNo: "ORDER-7",
        errorName: "Error",
        errorCode: "aggregate-contended",
      },
    ],
    ["process-callback left for later", { outcome: "left-for-later" }],
    [undefined, { outcome: "no-fact", orderNo: "ORDER-7" }],
  ]);
});

describe("receive-callback", () => {
  const refused = { outcome: "not-authentic" as const, httpStatus: 401 };
  tells("receive-callback", [
    [
      "rejected wrong-signature DemoMerchant",
      { ...refused, reason: "wrong-signature", merchantId: "DemoMerchant" },
    ],
    ["rejected unknown-merchant", { ...refused, reason: "unknown-merchant" }],
    [
      "rejected not-an-envelope (sign is missing)",
      { outcome: "not-an-envelope", reason: "not-an-envelope", detail: "sign is missing" },
    ],
    [
      "rejected empty-body (sent by npx paycast check)",
      { outcome: "not-an-envelope", reason: "empty-body" },
    ],
    [
      "rejected source-not-allowed",
      { outcome: "source-not-allowed", reason: "source-not-allowed" },
    ],
    ["rejected too-large", { outcome: "too-large", reason: "too-large" }],
    [
      "not stored inbox-unavailable ORDER-7",
      { outcome: "not-stored", orderNo: "ORDER-7", errorCode: "inbox-unavailable" },
    ],
    [
      "not stored keys-unset DemoMerchant",
      { outcome: "not-stored", merchantId: "DemoMerchant", errorCode: "keys-unset" },
    ],
    [undefined, { outcome: "accepted", ...fact, keyStage: "current" }],
    [
      "receive-callback not captured Throttled",
      { outcome: "not-captured", errorName: "Throttled" },
    ],
    [undefined, { outcome: "captured" }],
    [
      "keys problem keys-invalid DemoMerchant (aesKey is too short.)",
      {
        outcome: "keys-problem",
        reason: "keys-invalid",
        merchantId: "DemoMerchant",
        detail: "aesKey is too short.",
      },
    ],
    [undefined, { outcome: "keys-problem", reason: "keys-unset", merchantId: "paycast-smoke" }],
  ]);
});

describe("create-order", () => {
  const created = { orderNo: "ORDER-1001", paymentId: "PAY-1", outcome: "answered" as const };
  tells("create-order", [
    ["ORDER-1001 created, payment PAY-1", { ...created, httpStatus: 201 }],
    ["ORDER-1001 already exists, returned as it is", { ...created, httpStatus: 200 }],
    [
      "an order not created: body-invalid",
      { outcome: "problem", reason: "urn:paycast:problem:body-invalid", httpStatus: 400 },
    ],
    [
      "ORDER-1001 not created: gateway-refused 50001",
      {
        outcome: "problem",
        orderNo: "ORDER-1001",
        errorCode: "gateway-refused",
        serviceCode: "50001",
        httpStatus: 502,
      },
    ],
    [
      "keys problem keys-unreachable DemoMerchant",
      { outcome: "keys-problem", reason: "keys-unreachable", merchantId: "DemoMerchant" },
    ],
  ]);
});

describe("query-order", () => {
  const about = { orderNo: "ORDER-7", paymentId: "PAY-7" };
  tells("query-order", [
    [undefined, { outcome: "answered", ...about, httpStatus: 200 }],
    [undefined, { outcome: "stale", ...about, httpStatus: 200 }],
    [undefined, { outcome: "stray", httpStatus: 404 }],
    [
      undefined,
      { outcome: "problem", reason: "urn:paycast:problem:order-unknown", httpStatus: 404 },
    ],
    [
      "query-order query failed gateway-unreachable ORDER-7",
      { outcome: "query-failed", ...about, errorCode: "gateway-unreachable" },
    ],
    [
      "query-order problem gateway-refused 40400 payment PAY-7",
      {
        outcome: "problem",
        paymentId: "PAY-7",
        errorCode: "gateway-refused",
        serviceCode: "40400",
        httpStatus: 502,
      },
    ],
    ["query-order refund status answered ORDER-7", { outcome: "refund-status-answered", ...about }],
  ]);
});

describe("reconcile-orders", () => {
  tells("reconcile-orders", [
    [undefined, { outcome: "reconciled" }, { OldestDueSeconds: 0, Answered: 3 }],
    [undefined, { outcome: "lease-held" }],
    ["reconciliation: 1 result with news", { outcome: "reconciled" }, { Answered: 1, News: 1 }],
    [
      "reconciliation: 2 results with news, 1 order unresolved",
      { outcome: "reconciled" },
      { News: 2, Unresolved: 1 },
    ],
    [
      "reconciliation: 5 requests failed: gateway-unreachable",
      { outcome: "ended-by-failures", errorCode: "gateway-unreachable" },
      { QueryFailed: 5 },
    ],
    ["reconcile-orders failed Throttled", { outcome: "failed", errorName: "Throttled" }],
  ]);
});

test("a refund is reported by its order, if an earlier line named the order to which the payment belongs", () => {
  const { log, lines } = hearStory();
  log("create-order", {
    outcome: "answered",
    orderNo: "ORDER-1001",
    paymentId: "PAY-1",
    httpStatus: 201,
  });
  log("process-callback", {
    outcome: "published",
    paymentId: "PAY-1",
    refundId: "RF-1",
    eventName: "payment.refund.success",
    deliveredTo: ["fulfilment"],
  });
  expect(lines.at(-1)).toBe("ORDER-1001 refund success → fulfilment ✓");
});

test("an order number cannot change the terminal, not even its colour", () => {
  const { log, lines } = hearStory({ colour: true });
  const orderNo = "A\u001b[2J\u001b[32m\n✓";
  log("process-callback", { outcome: "duplicate", orderNo, eventName: "payment.order.success" });
  expect(lines).toEqual([
    "\u001b[1mA\ufffd[2J\ufffd[32m\ufffd✓\u001b[22m success arrived again, nothing published",
  ]);
});

test("colours are used on a terminal only", () => {
  const delivered = {
    outcome: "published" as const,
    ...fact,
    deliveredTo: ["a"],
    subscribers: ["b"],
  };
  const { log, lines } = hearStory({ colour: true });
  log("process-callback", delivered);
  expect(lines).toEqual([
    "\u001b[1mORDER-1001\u001b[22m success → a \u001b[32m✓\u001b[39m b \u001b[31m✗\u001b[39m",
  ]);
  expect(storyOf("process-callback", delivered)).toEqual(["ORDER-1001 success → a ✓ b ✗"]);
});
