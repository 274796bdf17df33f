import type { InboxMessage } from "../inbox/inbox-message.ts";

/** How long a record is kept: `callbacks.recordExpiryDays` of the config (infra/config/callback-config.ts). */
export interface Expiry {
  readonly recordExpiryDays: number;
  readonly now: () => number;
}

/**
 * The `keptUntil` of a record. DynamoDB deletes by `expiresAt`, which gets this time when nothing is pending:
 * immediately if there are no recipients (plan-receipt.ts), after the last delivery (record-store.ts), or when an
 * operator dismisses it. If the id or the timestamp is not signed, only the record stops a replay, so it never expires.
 */
export function keptUntilSeconds(
  { deduplication }: InboxMessage,
  { recordExpiryDays, now }: Expiry,
): number | undefined {
  if (deduplication.replayable) return undefined;
  return Math.floor(now() / 1000) + recordExpiryDays * 86_400;
}
