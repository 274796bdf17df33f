/**
 * - `body-not-json`: the message's body is not JSON.
 * - `event-malformed`: it is not an event of Paycast, or a field is missing or wrong; `path` says which.
 * - `schema-unknown`: the type is known, but its `dataschema` is not: a newer version of the package can read it.
 * - `record-malformed`: it is not a message of SQS with a body.
 * - `sequence-malformed`: the sequence that `isStale` was given is not one.
 */
export type EventErrorCode =
  | "body-not-json"
  | "event-malformed"
  | "schema-unknown"
  | "record-malformed"
  | "sequence-malformed";

interface Details {
  readonly cause?: unknown;
  readonly path?: string | undefined;
  readonly messageId?: string | undefined;
}

/** The one error of this package. Its message repeats nothing of the event, so it can be logged. */
export class PaycastEventError extends Error {
  override readonly name = "PaycastEventError";
  readonly code: EventErrorCode;
  /** JSON pointer to the field that is wrong, with names of the schema only. */
  readonly path: string | undefined;
  /** The message of SQS, if `parseRecord` read one. */
  readonly messageId: string | undefined;

  constructor(code: EventErrorCode, message: string, details: Details = {}) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.path = details.path;
    this.messageId = details.messageId;
  }
}
