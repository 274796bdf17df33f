import { expect, test } from "vitest";
import { paymentStatuses, refundStatuses } from "../../../shared/facts/event-types.ts";
import { isRefundMoveUp, moveOrder } from "../../../shared/orders/move-status.ts";
import { anOrder } from "./facts.ts";

/** What becomes of an order in the row's status when the column's is reported. */
const paymentTable = `
             pending     confirming  timeout     failed      success
  pending    pending     confirming  timeout     failed      success
  confirming confirming  confirming  timeout     failed      success
  timeout    timeout     timeout     timeout     failed      success  
  failed     failed      failed      failed      failed      success  
  success    success     success     success     success     success
`;

const refundTable = `
                 refunding       refund_failed   refund_success
  refunding      refunding       refund_failed   refund_success
  refund_failed  refund_failed   refund_failed   refund_success
  refund_success refund_success  refund_success  refund_success
`;

function cellsOf(table: string): [from: string, to: string, end: string][] {
  const [header = "", ...rows] = table.trim().split("\n");
  const columns = header.trim().split(/\s+/);
  return rows.flatMap((row) => {
    const [from = "", ...ends] = row.trim().split(/\s+/);
    return ends.map((end, index): [string, string, string] => [from, columns[index]!, end]);
  });
}

test.each(cellsOf(paymentTable))(
  "a payment that is %s and is reported %s is then %s",
  (from, to, end) => {
    const find = (name: string) => paymentStatuses.find((status) => status === name)!;
    const order = anOrder({ status: find(from) });
    const moved = moveOrder(order, find(to), { reason: "reported" });
    expect(moved.status).toBe(end);
    expect(moved === order).toBe(end === from);
  },
);

test.each(cellsOf(refundTable))(
  "a refund that is %s and is reported %s is then %s",
  (from, to, end) => {
    const find = (name: string) => refundStatuses.find((status) => status === name)!;
    expect(isRefundMoveUp(find(from), find(to))).toBe(end !== from);
  },
);

test("the tables leave out no pair", () => {
  expect(cellsOf(paymentTable)).toHaveLength(paymentStatuses.length ** 2);
  expect(cellsOf(refundTable)).toHaveLength(refundStatuses.length ** 2);
});
