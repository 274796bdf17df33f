import { groupWithoutSubject } from "../facts/subject.ts";
import { contentHash, type InboxMessage } from "../inbox/inbox-message.ts";
import { sha256Of } from "../sha256.ts";
import { toRfc3339 } from "../time/timestamp.ts";
import { firstReceipt } from "./callback-record.ts";

/** A message from the inbox, parsed and as text. */
export interface Receipt {
  readonly message: InboxMessage;
  readonly body: string;
  readonly group: string;
}

/** The partition key of a message's record. Receipts with the same callback id and different content share it. */
export function callbackKeyOf({
  merchantId,
  origin,
  deduplication,
}: Pick<InboxMessage, "merchantId" | "origin" | "deduplication">): string {
  return `${merchantId}#${origin}#${deduplication.key}`;
}

interface CallbackKey {
  readonly merchantId: string;
  readonly origin: InboxMessage["origin"];
  readonly key: string;
}

/** Reads such a key. Undefined for any other text. A merchant id has no "#". */
export function readCallbackKey(callbackKey: string): CallbackKey | undefined {
  const [, merchantId, origin, key] = /^([^#]*)#(callback|query)#(.*)/s.exec(callbackKey) ?? [];
  if (merchantId === undefined || key === undefined) return undefined;
  return { merchantId, origin: origin === "query" ? origin : "callback", key };
}

/** The group in which a callback arrived if it named no aggregate then. A newer version may know its aggregate. */
export function firstGroupOf(callbackKey: string): string | undefined {
  const read = readCallbackKey(callbackKey);
  return read?.origin === "callback" ? groupWithoutSubject(read.merchantId, read.key) : undefined;
}

/**
 * A hash of everything signed that states what happened. A different event name under the same id is different content.
 */
function signedHash(message: InboxMessage): string {
  const eventName = message.origin === "callback" ? (message.eventName ?? "") : "";
  return sha256Of(eventName, contentHash(message.content));
}

/** The fields that every record has. */
export function receivedPart({ message, body, group }: Receipt, nowMilliseconds: number) {
  const { origin, merchantId, receivedAtMilliseconds } = message;
  return {
    callbackKey: callbackKeyOf(message),
    receipt: firstReceipt,
    origin,
    merchantId,
    ...(message.origin === "callback" && {
      callbackId: message.callbackId,
      keyVersion: message.keyVersion,
    }),
    message: body,
    contentHash: signedHash(message),
    group,
    receivedAt: toRfc3339(receivedAtMilliseconds),
    recordedAt: toRfc3339(nowMilliseconds),
  };
}
