import type { CallbackRecord } from "../../../shared/records/callback-record.ts";

/** A record as process-callback writes it. */
export function publishedRecord(overrides: Partial<CallbackRecord> = {}): CallbackRecord {
  return {
    callbackKey: "m#callback#c1",
    receipt: "first",
    origin: "callback",
    merchantId: "m",
    plaintext: "{}",
    bodyHash: "hash",
    factId: "fact",
    type: "payment.order.success",
    orderKey: "m#order#A",
    flags: [],
    receivedAt: "2026-11-15T00:00:00.000Z",
    receivedDay: "2026-11-15",
    outcome: "published",
    group: "group",
    event: '{"id":"fact"}',
    sequence: 5,
    pending: [],
    held: [],
    attempts: 0,
    ...overrides,
  };
}
