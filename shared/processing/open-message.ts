import { PaycastError } from "../errors/paycast-error.ts";
import {
  inboxVersion,
  type NamedRecord,
  readInboxBody,
  type StampedBody,
} from "../inbox/inbox-body.ts";
import { newerMessage } from "../inbox/inbox-message.ts";
import { isStampOf } from "../inbox/stamp.ts";
import type { CheckingKeys, StampKey } from "../keys/stamp-keys.ts";
import type { CallbackRecord } from "../records/callback-record.ts";
import { firstGroupOf } from "../records/receipt.ts";
import { stampSettleMilliseconds } from "../timing.ts";
import type { QueuedMessage } from "./process-batch.ts";

export interface OpenMessage {
  readonly stampKeys: CheckingKeys;
  readonly loadRecord: (named: NamedRecord) => Promise<CallbackRecord | undefined>;
}

/** What process-callback may do with a message. */
export type OpenedMessage =
  /** One of the stack's functions sent it. `text` is an inbox message. */
  | { readonly kind: "genuine"; readonly text: string }
  /** It asks to process this record again. */
  | { readonly kind: "redrive"; readonly record: CallbackRecord }
  /** It names a record that must not be processed again. */
  | { readonly kind: "ignored"; readonly reason: IgnoredRedrive }
  /** None of the stack's functions sent it. */
  | { readonly kind: "rejected"; readonly why: PaycastError };

/** The record expired or was deleted, an operator dismissed it, or the message is in another group than the record. */
export type IgnoredRedrive = "record-gone" | "record-dismissed" | "other-group";

/**
 * Authenticates a message by its stamp before anything else in it is read: the right to send to the inbox must not be
 * enough to mark an order as paid. Throws `stamp-unchecked` if the stamp cannot be checked now; the message then
 * returns to the inbox. Throws `inbox-message-newer` for an authentic message of a newer version.
 */
export async function openMessage(
  queued: QueuedMessage,
  deps: OpenMessage,
): Promise<OpenedMessage> {
  const body = readInboxBody(queued.body);
  switch (body.kind) {
    case "unstamped":
      return rejected("stamp-missing", "The message has no stamp.");
    case "redrive":
      return await openRedrive(queued, body.named, deps);
    case "stamped":
      return await checkStamp(queued, body.stamped, deps.stampKeys);
  }
}

async function checkStamp(
  queued: QueuedMessage,
  { version: bodyVersion, stampKey, stamp, message: text }: StampedBody,
  keys: CheckingKeys,
): Promise<OpenedMessage> {
  const versions = await versionsOf(keys);
  const version = versions.find(({ versionId }) => versionId === stampKey);
  if (version === undefined) return await waitForVersion(queued, stampKey, keys);
  if (isStampOf(stamp, version.keys, queued.group, text)) {
    if (bodyVersion > inboxVersion) throw newerMessage();
    return { kind: "genuine", text };
  }
  return rejected("stamp-wrong", "The stamp does not match the message and its group.");
}

/** Whatever is wrong with the key, the message is retried. */
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
 * A sender that has just started may use a newer version of the key than this instance knows, so the message is
 * retried. If a fetch after that does not return the version either, it was invented, or removed after a leak. Without
 * this limit, such a message would block its group forever.
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
    return rejected("stamp-wrong", "The stamp names a version of the key that does not exist.");
  }
  throw new PaycastError("stamp-unchecked", "The version of the stamp key is not known yet.", {
    retryable: true,
  });
}

/**
 * A redrive has no stamp, so anyone may send it. It can only repeat what the table stores, in the record's own group. If
 * the record got the group of its order by this redrive, the first group stays valid: the events may not be sent yet.
 */
async function openRedrive(
  { group }: QueuedMessage,
  named: NamedRecord,
  { loadRecord }: OpenMessage,
): Promise<OpenedMessage> {
  const record = await loadRecord(named);
  if (record === undefined) return { kind: "ignored", reason: "record-gone" };
  const groups = [record.group, firstGroupOf(record.callbackKey)];
  if (!groups.includes(group)) return { kind: "ignored", reason: "other-group" };
  if (record.outcome === "quarantined" && record.attention === undefined) {
    return { kind: "ignored", reason: "record-dismissed" };
  }
  return { kind: "redrive", record };
}

function rejected(code: "stamp-missing" | "stamp-wrong", message: string): OpenedMessage {
  return { kind: "rejected", why: new PaycastError(code, message) };
}
