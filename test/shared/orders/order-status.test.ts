import { expect, test } from "vitest";
import { paymentStatuses, refundStatuses } from "../../../shared/facts/event-types.ts";
import { movePayment, moveRefund } from "../../../shared/orders/order-status.ts";

/** What becomes of an order in the row's status when the column's is told. L: taken, and late. */
const paymentTable = `
             pending     confirming  timeout     failed      success
  pending    pending     confirming  timeout     failed      success
  confirming confirming  confirming  timeout     failed      success
  timeout    timeout     timeout     timeout     failed      success-L
  failed     failed      failed      failed      failed      success-L
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
  "a payment that is %s and is told %s is then %s",
  (from, to, end) => {
    const find = (name: string) => paymentStatuses.find((status) => status === name)!;
    const [status, late] = end.split("-");
    expect(movePayment(find(from), find(to))).toEqual({
      status,
      moved: status !== from,
      late: late === "L",
    });
  },
);

test.each(cellsOf(refundTable))(
  "a refund that is %s and is told %s is then %s",
  (from, to, end) => {
    const find = (name: string) => refundStatuses.find((status) => status === name)!;
    expect(moveRefund(find(from), find(to))).toEqual({
      status: end,
      moved: end !== from,
      late: false,
    });
  },
);

test("the tables leave out no pair", () => {
  expect(cellsOf(paymentTable)).toHaveLength(paymentStatuses.length ** 2);
  expect(cellsOf(refundTable)).toHaveLength(refundStatuses.length ** 2);
});
