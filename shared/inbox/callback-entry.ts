import { hash } from "node:crypto";
import type { OpenedCallback } from "../envelope/open-callback.ts";
import { withExactSubject } from "../facts/exact-fields.ts";
import { groupOf, type Subject, subjectOf } from "../facts/subject.ts";
import { sha256Of } from "../sha256.ts";
import { contentHash, writeInboxMessage } from "./inbox-message.ts";
import type { InboxEntry } from "./send-to-inbox.ts";

/** The aggregate that a callback is about, if its content names one. */
export function subjectOfCallback(callback: OpenedCallback): Subject | undefined {
  const { merchantId, eventName, content } = callback;
  if (content.kind !== "text") return undefined;
  return subjectOf(merchantId, eventName, withExactSubject(content.result, content.text));
}

/** What the inbox keeps of an authentic callback. If it names no aggregate, it gets its own group. */
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
 * A repeat of a callback has the same id, and SQS drops it for five minutes, so a replay cannot fill the inbox. If any
 * field that is signed and used differs, it is another message.
 */
function deduplicationIdOf(callback: OpenedCallback): string {
  const { merchantId, deduplication, eventName = "", content } = callback;
  const id = JSON.stringify([merchantId, deduplication.key, eventName]);
  return hash("sha256", `${id}${content.kind === "text" ? content.text : contentHash(content)}`);
}
