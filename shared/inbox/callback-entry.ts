import type { OpenedCallback } from "../envelope/open-callback.ts";
import { writeInboxMessage } from "./inbox-message.ts";
import { callbackGroup } from "./message-group.ts";
import type { InboxEntry } from "./send-to-inbox.ts";

/** What the inbox keeps of an authentic callback. */
export function callbackEntry(
  callback: OpenedCallback,
  receivedAtMilliseconds: number,
  traceparent: string,
): InboxEntry {
  const body = writeInboxMessage({
    version: 1,
    origin: "callback",
    merchantId: callback.merchantId,
    merchantIsSigned: callback.merchantIsSigned,
    callbackId: callback.id,
    eventName: callback.eventName,
    sentAtMilliseconds: callback.sentAtMilliseconds,
    plaintext: callback.plaintext,
    deduplication: callback.deduplication,
    verifiedBy: callback.verifiedBy,
    receivedAtMilliseconds,
    traceparent,
  });
  return { body, group: callbackGroup(callback) };
}
