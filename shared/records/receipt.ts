import { contentHash, type InboxMessage } from "../inbox/inbox-message.ts";
import { sha256Of } from "../sha256.ts";
import { toRfc3339 } from "../time/timestamp.ts";
import { firstReceipt } from "./callback-record.ts";

/** A message from the inbox: parsed, and as the original text. */
export interface Receipt {
  readonly message: InboxMessage;
  readonly body: string;
  readonly group: string;
}

/** The key of a message's record. The record of other content with the same id has the same key. */
export function callbackKeyOf({
  merchantId,
  origin,
  deduplication,
}: Pick<InboxMessage, "merchantId" | "origin" | "deduplication">): string {
  return `${merchantId}#${origin}#${deduplication.key}`;
}

/** What such a key was made of; undefined if it is another text. A merchant's id has no "#". */
export function readCallbackKey(
  callbackKey: string,
): { readonly origin: InboxMessage["origin"]; readonly key: string } | undefined {
  const [, origin, key] = /^[^#]*#(callback|query)#(.*)/s.exec(callbackKey) ?? [];
  if (key === undefined) return undefined;
  return { origin: origin === "query" ? origin : "callback", key };
}

/** Of everything signed that says what happened: another event name under the same id is another content, too. */
export function signedHash(message: InboxMessage): string {
  const eventName = message.origin === "callback" ? (message.eventName ?? "") : "";
  return sha256Of(eventName, contentHash(message.content));
}

/** The part of a record that every receipt has. */
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
