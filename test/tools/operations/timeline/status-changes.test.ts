import { expect, test } from "vitest";
import { withStatuses } from "../../../../tools/operations/timeline/order-timeline.ts";
import type { ReceiptEntry } from "../../../../tools/operations/timeline/receipt-entry.ts";

const common = {
  specversion: "1.0",
  id: "i",
  source: "s",
  time: "2026-11-15T10:00:00.000Z",
  datacontenttype: "application/json",
  partitionkey: "p",
  sequence: "0000000001",
  origin: "callback",
  traceparent: "t",
};

function receipt(sequence: number, event: object): ReceiptEntry {
  const at = "2026-11-15T10:00:00.000Z";
  return {
    kind: "receipt",
    at,
    recordedAt: at,
    about: "order",
    merchantId: "m",
    origin: "callback",
    outcome: "published",
    isConflict: false,
    flags: [],
    payload: { text: "{}" },
    published: { eventId: "i", sequence, deliveries: [], event: { ...common, ...event } },
  } as ReceiptEntry;
}

const paid = (sequence: number, status: string, orderStatus = status) =>
  receipt(sequence, {
    type: `payment.order.${status}`,
    dataschema: "urn:paycast:schema:payment-order-event:1",
    data: {
      merchantId: "m",
      flags: [],
      orderNo: "N",
      status,
      order: { orderNo: "N", status: orderStatus, payment: {}, paymentIds: [], flags: [] },
    },
  });

const refund = (refundId: string, status: string) => ({ refundId, paymentId: "p", status });

const refunded = (sequence: number, refundId: string, refunds: { status: string }[]) =>
  receipt(sequence, {
    type: "payment.refund.success",
    dataschema: "urn:paycast:schema:payment-refund-event:1",
    data: {
      merchantId: "m",
      flags: [],
      paymentId: "p",
      refundId,
      status: "refund_success",
      payment: { paymentId: "p", refunds, flags: [] },
    },
  });

const changesOf = (entries: ReceiptEntry[]) =>
  withStatuses(entries).map(({ statusBefore, statusAfter }) => [statusBefore, statusAfter]);

test("an event's status before is that of the event with the sequence before, in any order of arrival", () => {
  const entries = [paid(3, "confirming", "success"), paid(1, "confirming"), paid(2, "success")];
  expect(changesOf(entries)).toEqual([
    ["success", "success"],
    ["pending", "confirming"],
    ["confirming", "success"],
  ]);
});

test("the status before is unknown if its event is not stored any more", () => {
  expect(changesOf([paid(2, "success")])).toEqual([[undefined, "success"]]);
});

test("a refund's event is about that refund, whatever the others do", () => {
  const entries = [
    refunded(1, "A", [refund("A", "refund_failed")]),
    refunded(2, "B", [refund("A", "refund_failed"), refund("B", "refund_success")]),
    refunded(3, "A", [refund("A", "refund_success"), refund("B", "refund_success")]),
  ];
  expect(changesOf(entries)).toEqual([
    [undefined, "refund_failed"],
    [undefined, "refund_success"],
    ["refund_failed", "refund_success"],
  ]);
});

test("a receipt without an event changes nothing", () => {
  const { published: _published, ...known } = paid(1, "success");
  expect(changesOf([known])).toEqual([[undefined, undefined]]);
});
