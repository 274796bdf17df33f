import { expect, test } from "vitest";
import type { AttentionItem } from "../../../../tools/operations/attention/item.ts";
import { factsOf } from "../../../../tools/operations/attention/item-words.ts";

const item: AttentionItem = {
  id: "0123456789ab",
  kind: "undeliverable",
  since: "2026-11-15T10:05:00.000Z",
  reason: "subscriber-unreachable",
  detail: undefined,
  subscribers: {},
  gone: [],
  type: "payment.order.success",
  merchantId: "shop-1",
  orderNo: "ORDER-1",
  paymentId: "P1",
  callbackId: "C1",
  receivedAt: "2026-11-15T10:00:00.000Z",
};

test("a receipt's facts say what it is about, when it came and how it was verified", () => {
  const payload = { text: "{}" };
  const receipt = { payload, eventName: "order.paid", keyVersion: "V1", traceparent: "00-1" };
  expect(factsOf({ item, ...receipt })).toEqual([
    ["about", { order: "ORDER-1" }],
    ["payment", { payment: "P1" }],
    ["merchant", "shop-1"],
    ["event name", "order.paid"],
    ["since", { time: item.since }],
    ["received", { time: item.receivedAt }],
    ["callback", { id: "C1" }],
    ["key version", { id: "V1" }],
    ["trace", { id: "00-1" }],
    ["id", { id: item.id }],
  ]);
});
