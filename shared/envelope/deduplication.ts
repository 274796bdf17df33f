import type { Buffer } from "node:buffer";
import { createHash, hash } from "node:crypto";
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
 * By the callback's id if it is signed; otherwise by the signed content, or a body could be replayed with a new id. An id
 * that is none (`Envelope.id`) counts like one that is not signed. Anybody can change a timestamp that is not signed, so
 * then the window does not stop a replay.
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
 * The key of a callback's id. Senders write the same GUID with or without dashes, in either case. Another id counts as it
 * is, and its key is a hash: it may hold any characters. The key of a key is itself, so that an id from the log
 * (`idForLog`) finds its callback.
 */
export function keyOfId(id: string): string {
  if (guid.test(id)) return id.replaceAll("-", "").toLowerCase();
  return hashedId.test(id) ? id : `sha256:${hash("sha256", id)}`;
}

/** An id as the log may hold it: a GUID as it came, anything else as a hash, because a stranger may have written it. */
export function idForLog(id: string | undefined): string | undefined {
  return id === undefined || guid.test(id) ? id : keyOfId(id);
}
