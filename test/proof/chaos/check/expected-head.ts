import type { Event } from "./evidence.ts";
import { aHash, aStack, aTrace, theCallback, timeBetween } from "./expect.ts";
import type { Source } from "./sources.ts";

/** The envelope of an event, without the schema. */
export function headOf(
  { fact, origin, sentMilliseconds, learned }: Source,
  { partition }: Event,
  sequence: number,
  subject: string | undefined,
): object {
  const sentAt =
    sentMilliseconds === undefined
      ? timeBetween(...learned)
      : new Date(sentMilliseconds).toISOString();
  return {
    specversion: "1.0",
    id: aHash,
    source: aStack,
    time: fact.completedAt ?? sentAt,
    datacontenttype: "application/json",
    partitionkey: partition,
    sequence: String(sequence).padStart(10, "0"),
    origin,
    traceparent: aTrace,
    subject,
    type: fact.type,
  };
}

/** The part of the data that orders and refunds have in common. */
export function statedBy({ fact, callbackId }: Source): object {
  return {
    merchantId: fact.merchantId,
    transactionId: fact.transactionId,
    reason: fact.reason,
    createdAt: fact.createdAt,
    completedAt: fact.completedAt,
    callbackId: callbackId === undefined ? undefined : theCallback(callbackId),
  };
}
