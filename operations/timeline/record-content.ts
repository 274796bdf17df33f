import type { Subject } from "../../shared/facts/subject.ts";
import { readInboxMessage, subjectOfMessage } from "../../shared/inbox/inbox-message.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { CallbackRecord } from "../../shared/records/callback-record.ts";

export interface RecordContent {
  readonly subject: Subject | undefined;
  readonly payload: unknown;
}

/** What a record's message says, also if it is one that nobody can understand. */
export function contentOfRecord({ message: text }: CallbackRecord): RecordContent {
  try {
    const message = readInboxMessage(text);
    const { content } = message;
    const payload =
      content.kind === "text"
        ? (content.result ?? { notJson: content.text })
        : { notText: content.kind, base64: content.bytes.toString("base64") };
    return { subject: subjectOfMessage(message), payload };
  } catch (error) {
    if (!(error instanceof PaycastError)) throw error;
    return { subject: undefined, payload: { notAMessage: text } };
  }
}
