import { expect, test } from "vitest";
import type { PaymentStatus } from "../../../shared/facts/event-types.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { findingOf, findings, type Result } from "../../../shared/reconciling/check-findings.ts";
import { anOrder } from "../orders/facts.ts";

const error = new Error("no response");
const isConfirmation = true;
const news = (status: PaymentStatus, after = status): Result => ({
  kind: "news",
  status,
  order: anOrder({ status: after }),
  factId: "f",
  isConfirmation,
});
const same = (status: PaymentStatus): Result => ({
  kind: "nothing-new",
  status,
  order: anOrder({ status }),
  isConfirmation,
});
const refund: Result = { kind: "refund-status", isConfirmation: false, noted: (order) => order };

const open = anOrder({ status: "pending" });
const ended = anOrder({ status: "timeout" });

test.each<[order: string, of: Order, result: string, results: Result, finding: string]>([
  ["open", open, "its success", news("success"), "ends"],
  ["open", open, "its timeout", news("timeout"), "ends"],
  ["open", open, "that it is confirming", news("confirming"), "waits"],
  ["open", open, "the failure of another attempt", news("failed", "pending"), "waits"],
  ["open", open, "what is known", same("pending"), "answers"],
  ["open", open, "the known end of another attempt", same("timeout"), "answers"],
  ["open", open, "a refund", refund, "answers"],
  ["open", open, "a refusal", { kind: "refused", error }, "answers"],
  ["open", open, "nonsense", { kind: "unreadable", error }, "answers"],
  ["open", open, "nothing", { kind: "failed", error }, "failed"],
  ["ended", ended, "a success", news("success"), "ends"],
  ["ended", ended, "a later failure", news("failed"), "ends"],
  ["ended", ended, "that it is confirming", news("confirming", "timeout"), "doubts"],
  ["ended", ended, "its end", same("timeout"), "answers"],
  ["ended", ended, "that it is pending", same("pending"), "doubts"],
  ["ended", ended, "a refund", refund, "doubts"],
  ["ended", ended, "a refusal", { kind: "refused", error }, "unconfirmed"],
  ["ended", ended, "nonsense", { kind: "unreadable", error }, "unconfirmed"],
  ["ended", ended, "nothing", { kind: "failed", error }, "failed"],
])("about an order that is %s, %3$s: %5$s", (_state, order, _what, result, finding) => {
  expect(findingOf(order, result)).toBe(finding);
});

test("every case of every row is one of the above", () => {
  expect(Object.values(findings).flatMap((row) => Object.values(row))).toHaveLength(16);
});
