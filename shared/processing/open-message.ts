import { type NamedRecord, readInboxBody, type StampedBody } from "../inbox/inbox-body.ts";
import { isStampOf } from "../inbox/stamp.ts";
import type { CheckingKeys, StampKey } from "../keys/stamp-keys.ts";
import { PaycastError } from "../paycast-error.ts";
import type { CallbackRecord } from "../records/callback-record.ts";
import { stampSettleMilliseconds } from "../timing.ts";
import type { QueuedMessage } from "./process-batch.ts";

export interface OpenMessage {
  readonly stampKeys: CheckingKeys;
  readonly loadRecord: (named: NamedRecord) => Promise<CallbackRecord | undefined>;
}

/** What a message of the inbox may do. */
export type OpenedMessage =
  /** One of our functions sent it. `text` is an inbox message. */
  | { readonly kind: "genuine"; readonly text: string }
  /** It names this record. */
  | { readonly kind: "redrive"; readonly record: CallbackRecord }
  /** It names a record with which nothing is to be done. */
  | { readonly kind: "ignored"; readonly reason: IgnoredRedrive }
  /** Something other than our functions sent it. */
  | { readonly kind: "refused"; readonly why: PaycastError };

/** The record has expired or was deleted, a person dismissed it, or the message is not in the record's group. */
export type IgnoredRedrive = "record-gone" | "record-dismissed" | "other-group";

/**
 * Decides by its stamp whether a message counts, before anything else in it is read. Throws `stamp-unchecked` if that
 * cannot be decided now: the message returns to the inbox.
 */
export async function openMessage(
  queued: QueuedMessage,
  deps: OpenMessage,
): Promise<OpenedMessage> {
  const body = readInboxBody(queued.body);
  switch (body.kind) {
    case "unstamped":
      return refused("stamp-missing", "The message has no stamp.");
    case "redrive":
      return await openRedrive(queued, body.named, deps);
    case "stamped":
      return await checkStamp(queued, body.stamped, deps.stampKeys);
  }
}

async function checkStamp(
  queued: QueuedMessage,
  { stampKey, stamp, message: text }: StampedBody,
  keys: CheckingKeys,
): Promise<OpenedMessage> {
  const versions = await versionsOf(keys);
  const version = versions.find(({ versionId }) => versionId === stampKey);
  if (version === undefined) return await waitForVersion(queued, stampKey, keys);
  if (isStampOf(stamp, version.keys, queued.group, text)) return { kind: "genuine", text };
  return refused("stamp-wrong", "The stamp does not fit the message and its group.");
}

/** Whatever is wrong with the key, the message waits. */
async function versionsOf(keys: CheckingKeys): Promise<readonly StampKey[]> {
  try {
    return await keys.versions();
  } catch (cause) {
    throw new PaycastError("stamp-unchecked", "The stamp key cannot be read.", {
      retryable: true,
      cause,
    });
  }
}

/**
 * A sender that has just started may have a newer version than this instance, which knows it at the next try. A version
 * that a later fetch does not show either was made up, or removed after a leak. Without that end, such a message would
 * block its group for ever.
 */
async function waitForVersion(
  { sentAtMilliseconds }: QueuedMessage,
  stampKey: string,
  keys: CheckingKeys,
): Promise<OpenedMessage> {
  await keys.refresh();
  const versions = await versionsOf(keys);
  const isUnknown = versions.every(({ versionId }) => versionId !== stampKey);
  const isSettled = keys.knownAtMilliseconds() >= sentAtMilliseconds + stampSettleMilliseconds;
  if (isUnknown && isSettled) {
    return refused("stamp-wrong", "The stamp has a version of the key that does not exist.");
  }
  throw new PaycastError("stamp-unchecked", "The version of the stamp key is not known yet.", {
    retryable: true,
  });
}

/** Anybody may send it, so it can only repeat what the table knows, in the order of the record's group. */
async function openRedrive(
  { group }: QueuedMessage,
  named: NamedRecord,
  { loadRecord }: OpenMessage,
): Promise<OpenedMessage> {
  const record = await loadRecord(named);
  if (record === undefined) return { kind: "ignored", reason: "record-gone" };
  if (record.group !== group) return { kind: "ignored", reason: "other-group" };
  if (record.outcome === "quarantined" && record.attention === undefined) {
    return { kind: "ignored", reason: "record-dismissed" };
  }
  return { kind: "redrive", record };
}

function refused(code: "stamp-missing" | "stamp-wrong", message: string): OpenedMessage {
  return { kind: "refused", why: new PaycastError(code, message) };
}
