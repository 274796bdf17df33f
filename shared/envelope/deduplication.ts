import type { Buffer } from "node:buffer";
import { createHash, hash } from "node:crypto";
import type { Envelope } from "./envelope.ts";
import type { Profile } from "./profile.ts";
import { isSigned } from "./signed-bytes.ts";

/**
 * How a repeated callback is recognised: by SQS for five minutes (inbox/send-to-inbox.ts), and after that by its record
 * (records/record-receipt.ts).
 */
export interface Deduplication {
  readonly key: string;
  /** The id or the timestamp is not signed, so only the record stops a replay. It must not expire. */
  readonly replayable: boolean;
}

/**
 * Uses the callback's id if it is signed. Otherwise uses the signed content, because a body could be replayed with a
 * new id. An id that is not valid (`Envelope.id`) counts as not signed. Anyone can change a timestamp that is not
 * signed, so the window then does not stop a replay.
 */
export function deduplicationOf(
  envelope: Envelope,
  verifiedBody: Buffer,
  profile: Profile,
): Deduplication {
  if (isSigned(profile, "id") && envelope.id !== undefined) {
    return { key: keyOfId(envelope.id), replayable: !isSigned(profile, "timestamp") };
  }
  const eventName = isSigned(profile, "eventName") ? envelope.eventName : "";
  const contentHash = createHash("sha256")
    .update(JSON.stringify([envelope.merchantId, eventName]))
    .update(verifiedBody);
  return { key: contentHash.digest("hex"), replayable: true };
}

const guid = /^(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;
const hashedId = /^sha256:[0-9a-f]{64}$/;

/**
 * The key of a callback's id. Senders write the same GUID with or without dashes, in either case. Any other id is
 * hashed, because it may have any characters. A key is its own key, so that an id from the log (`idForLog`) finds its
 * callback.
 */
export function keyOfId(id: string): string {
  if (guid.test(id)) return id.replaceAll("-", "").toLowerCase();
  return hashedId.test(id) ? id : `sha256:${hash("sha256", id)}`;
}

/** An id for the log: a GUID as sent, anything else as a hash, because a stranger may have written it. */
export function idForLog(id: string | undefined): string | undefined {
  return id === undefined || guid.test(id) ? id : keyOfId(id);
}
