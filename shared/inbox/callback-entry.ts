import { hash } from "node:crypto";
import type { OpenedCallback } from "../envelope/open-callback.ts";
import { groupOf, type Subject, subjectOf } from "../facts/subject.ts";
import { sha256Of } from "../sha256.ts";
import { contentHash, writeInboxMessage } from "./inbox-message.ts";
import type { InboxEntry } from "./send-to-inbox.ts";

/** The aggregate that a callback is about, where its content says so. */
export function subjectOfCallback(callback: OpenedCallback): Subject | undefined {
  const { merchantId, eventName, content } = callback;
  return content.kind === "text" ? subjectOf(merchantId, eventName, content.result) : undefined;
}

/** What the inbox keeps of an authentic callback. One that names no aggregate has a group of its own. */
export function callbackEntry(
  callback: OpenedCallback,
  subject: Subject | undefined,
  receivedAtMilliseconds: number,
  traceparent: string,
): InboxEntry {
  const { merchantId, deduplication } = callback;
  return {
    body: writeInboxMessage({
      origin: "callback",
      merchantId,
      callbackId: callback.id,
      eventName: callback.eventName,
      sentAtMilliseconds: callback.sentAtMilliseconds,
      content: callback.content,
      deduplication,
      keyVersion: callback.verifiedBy.versionId,
      receivedAtMilliseconds,
      traceparent,
    }),
    group: subject ? groupOf(subject) : sha256Of("callback", merchantId, deduplication.key),
    deduplicationId: deduplicationIdOf(callback),
  };
}

/**
 * The same callback again has the same id: SQS drops it for five minutes, so a replay cannot fill the inbox. What
 * differs in anything that is signed and used is another message.
 */
function deduplicationIdOf(callback: OpenedCallback): string {
  const { merchantId, deduplication, eventName = "", content } = callback;
  const id = JSON.stringify([merchantId, deduplication.key, eventName]);
  return hash("sha256", `${id}${content.kind === "text" ? content.text : contentHash(content)}`);
}
