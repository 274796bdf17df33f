import { handleBatch, parseRecord } from "paycast-events";

/** The money arrived, but a person must check the payment before it ships. */
const questionFlags = [
  "mismatch",
  "contradicted",
  "refunded",
  "duplicatePayment",
  "unknownOrder",
  "refusedOrder",
];

/** Keeps the events of one order in order. A failing event does not take later ones to the dead-letter queue. */
export async function handler(batch) {
  return await handleBatch(batch, (record) => shipOnce(parseRecord(record).event));
}

/**
 * A real consumer stores `id` in the transaction of its own change, and does nothing if `id` is already stored. Before it
 * ships, it checks that no refund of the order has arrived.
 */
function shipOnce({ id, type, data }) {
  if (type !== "payment.order.success") return;
  const isQuestion = data.flags.some((flag) => questionFlags.includes(flag));
  const todo = isQuestion ? "ask a person" : "ship";
  console.log(JSON.stringify({ todo, orderNo: data.orderNo, flags: data.flags, id }));
}
