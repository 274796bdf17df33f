import { groupOf } from "../facts/subject.ts";
import { sha256Of } from "../sha256.ts";
import { type QueryMessage, writeInboxMessage } from "./inbox-message.ts";
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

/** A query's answer goes through the inbox like a callback. The same answer again is a duplicate. */
export function queryMessageOf({ answer, ...asked }: Asked): QueryMessage {
  const text = JSON.stringify(answer);
  const key = sha256Of(asked.merchantId, asked.orderNo, asked.paymentId, text);
  return {
    ...asked,
    origin: "query",
    content: { kind: "text", text, result: answer },
    deduplication: { key, replayable: false },
  };
}

export function queryEntry(message: QueryMessage): InboxEntry {
  const { merchantId, orderNo, deduplication } = message;
  return {
    body: writeInboxMessage(message),
    group: groupOf({ kind: "order", merchantId, orderNo }),
    deduplicationId: sha256Of("query", deduplication.key),
  };
}
