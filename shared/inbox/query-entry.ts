import { sha256Of } from "../sha256.ts";
import { type QueryMessage, writeInboxMessage } from "./inbox-message.ts";
import { orderGroup } from "./message-group.ts";
import type { InboxEntry } from "./send-to-inbox.ts";

/** What was asked, and what the service answered. */
export interface Asked {
  readonly merchantId: string;
  readonly orderNo: string;
  readonly paymentId: string;
  readonly answer: object;
  readonly receivedAtMilliseconds: number;
  readonly traceparent: string;
}

/** A query's answer on its way through the inbox, like a callback; the same answer again is a duplicate. */
export function queryMessageOf(asked: Asked): QueryMessage {
  const { merchantId, orderNo, paymentId, receivedAtMilliseconds, traceparent } = asked;
  const plaintext = JSON.stringify(asked.answer);
  const key = sha256Of(merchantId, paymentId, plaintext);
  return {
    version: 1,
    origin: "query",
    merchantId,
    orderNo,
    paymentId,
    plaintext,
    deduplication: { key, replayable: false },
    receivedAtMilliseconds,
    traceparent,
  };
}

export function queryEntry(message: QueryMessage): InboxEntry {
  const group = orderGroup(message.merchantId, message.orderNo);
  return { body: writeInboxMessage(message), group };
}
