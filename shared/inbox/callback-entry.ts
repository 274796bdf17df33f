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
  const { id, result: _, ...authentic } = callback;
  const body = writeInboxMessage({
    version: 1,
    origin: "callback",
    ...authentic,
    callbackId: id,
    receivedAtMilliseconds,
    traceparent,
  });
  return { body, group: callbackGroup(callback) };
}
