import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Envelope } from "./envelope.ts";
import type { Profile } from "./profile.ts";
import { isSigned } from "./signed-bytes.ts";

/**
 * How a callback is recognised when it comes again: by SQS for five minutes (inbox/send-to-inbox.ts), and by its record
 * after that (`recordReceipt` in records/record-receipt.ts).
 */
export interface Deduplication {
  readonly key: string;
  /** The id or the timestamp is not signed: only the record stops a replay, so it must not expire. */
  readonly replayable: boolean;
}

/**
 * By the callback's id if it is signed; otherwise by the signed content, or a body could be replayed with a new id.
 * Anybody can change a timestamp that is not signed, so then the window does not stop a replay.
 */
export function deduplicationOf(
  envelope: Envelope,
  verifiedBody: Buffer,
  profile: Profile,
): Deduplication {
  if (isSigned(profile, "id")) {
    return { key: keyOfId(envelope.id), replayable: !isSigned(profile, "timestamp") };
  }
  const eventName = isSigned(profile, "eventName") ? envelope.eventName : "";
  const hash = createHash("sha256").update(JSON.stringify([envelope.merchantId, eventName]));
  return { key: hash.update(verifiedBody).digest("hex"), replayable: true };
}

/** Senders write the same id with or without dashes, in either case. */
export function keyOfId(id: string): string {
  return id.replaceAll("-", "").toLowerCase();
}
