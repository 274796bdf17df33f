import { handleBatch, parseRecord } from "paycast-events";

/** With one of these flags the money came in, but nobody may ship before a person has looked. */
const questionFlags = ["mismatch", "refunded", "duplicatePayment", "unknownOrder", "refusedOrder"];

/** Events of one order stay in order, and one that fails does not take the later ones into the dead letters. */
export async function handler(batch) {
  return await handleBatch(batch, (record) => shipOnce(parseRecord(record).event));
}

/** A real consumer stores `id` together with its own change, and does nothing if it is stored already. */
function shipOnce({ id, type, data }) {
  if (type !== "payment.order.success") return;
  const isQuestion = data.flags.some((flag) => questionFlags.includes(flag));
  const todo = isQuestion ? "ask a person" : "ship";
  console.log(JSON.stringify({ todo, orderNo: data.orderNo, flags: data.flags, id }));
}
