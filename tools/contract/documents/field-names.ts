import { table } from "./markdown-table.ts";

/** A field of the interface that Paycast passes on, with its names in events and responses. */
interface FieldNames {
  readonly field: string;
  /** The other name under which the interface shows the field. */
  readonly alias?: string;
  /** In `data` of an event. */
  readonly inEvents?: string;
  /** In the order that the storefront API returns. */
  readonly inAnswers?: string;
  readonly note?: string;
}

/** The fields that a payment's result and a query response share. */
const ofPayment: readonly FieldNames[] = [
  { field: "merchantId", inEvents: "merchantId", inAnswers: "merchantId" },
  { field: "transactionId", inEvents: "transactionId", inAnswers: "transactionId" },
  { field: "currency", inEvents: "amount.currency", inAnswers: "paidAmount.currency" },
  { field: "paymentTime", inEvents: "createdAt", inAnswers: "createdAt" },
  { field: "msg", inEvents: "reason", inAnswers: "reason" },
];

const orderNo: FieldNames = {
  field: "referOrderNo",
  alias: "outOrderNo",
  inEvents: "orderNo",
  inAnswers: "orderNo",
};
const status: FieldNames = { field: "status", inEvents: "status", inAnswers: "status" };
const amounts = { inEvents: "amount.value", inAnswers: "paidAmount.value" };
const completed = { inEvents: "completedAt", inAnswers: "completedAt" };

/** By section of the interface. A test follows a value of each field to where the table says it goes. */
export const fieldNames: Readonly<Record<"2.7" | "2.9" | "2.11" | "2.12", readonly FieldNames[]>> =
  {
    "2.7": [
      { field: "paymentId", inEvents: "order.paymentIds[]", inAnswers: "paymentId" },
      { ...orderNo, note: "It must be the number that was sent." },
      { field: "channel", inAnswers: "channel", note: "As it was sent; the response is not read." },
      { field: "checkoutUrl", inAnswers: "checkoutUrl" },
      { field: "status", inAnswers: "status", note: "`pending`; any other value is logged." },
    ],
    "2.9": [
      { ...status, note: "A refund's status is `refundStatus` in responses." },
      ...ofPayment,
      {
        field: "referOrderNo",
        alias: "outOrderNo",
        inAnswers: "orderNo",
        note: "Only for a payment that was not created here. Otherwise the payment id identifies the order.",
      },
      { field: "payAmount", alias: "paymentAmount", ...amounts },
      { field: "paidTime", alias: "completeTime", ...completed },
    ],
    "2.11": [
      ...ofPayment,
      orderNo,
      { field: "paymentAmount", alias: "payAmount", ...amounts },
      { field: "completeTime", alias: "paidTime", ...completed },
      status,
    ],
    "2.12": [
      { field: "merchantId", inEvents: "merchantId", inAnswers: "merchantId" },
      ofRefund("refundId"),
      ofRefund("paymentId"),
      ofRefund("referRefundNo", "refundNo"),
      ofRefund("transactionId"),
      ofRefund("refundAmount", "amount.value"),
      ofRefund("refundTime", "createdAt"),
      { ...ofRefund("completeTime", "completedAt"), alias: "paidTime" },
      ofRefund("status"),
      ofRefund("msg", "reason"),
    ],
  };

function ofRefund(field: string, name = field): FieldNames {
  return { field, inEvents: name, inAnswers: `refunds[].${name}` };
}

/** For `docs/interface.md`. */
export function fieldNamesTable(): string {
  const head = ["section", "field", "in an event's `data`", "in an order's response", "note"];
  const rows = Object.entries(fieldNames).flatMap(([section, fields]) =>
    fields.map((names) => rowOf(section, names)),
  );
  return table(head, rows);
}

function rowOf(section: string, { field, alias, inEvents, inAnswers, note = "" }: FieldNames) {
  const name = alias === undefined ? code(field) : `${code(field)}, also ${code(alias)}`;
  return [`§${section}`, name, code(inEvents), code(inAnswers), note];
}

function code(name: string | undefined): string {
  return name === undefined ? "" : `\`${name}\``;
}
