import type { Subject } from "../../shared/facts/subject.ts";
import { readInboxMessage, subjectOfMessage } from "../../shared/inbox/inbox-message.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { CallbackRecord } from "../../shared/records/callback-record.ts";

/** What the service said, exactly as it came: read as JSON, 12.30 would be shown as 12.3. */
export type StoredPayload = { readonly text: string } | { readonly base64: string };

export interface RecordContent {
  readonly subject: Subject | undefined;
  readonly payload: StoredPayload;
  /** The same as a value; undefined if it is not JSON. */
  readonly result: unknown;
}

/** What a record's message says, also if it is one that nobody can understand. */
export function contentOfRecord({ message: text }: CallbackRecord): RecordContent {
  try {
    const message = readInboxMessage(text);
    const { content } = message;
    const subject = subjectOfMessage(message);
    return content.kind === "text"
      ? { subject, payload: { text: content.text }, result: content.result }
      : { subject, payload: { base64: content.bytes.toString("base64") }, result: undefined };
  } catch (error) {
    if (!(error instanceof PaycastError)) throw error;
    return { subject: undefined, payload: { text }, result: undefined };
  }
}
