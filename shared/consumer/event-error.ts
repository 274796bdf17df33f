/**
 * - `body-not-json`: the message's body is not JSON.
 * - `event-malformed`: it is not an event of Paycast, or a field is missing or wrong; `path` says which.
 * - `schema-unknown`: the type is known, but not its `dataschema`; a newer version of the package can read it.
 * - `record-malformed`: it is not an SQS message with a body.
 * - `sequence-malformed`: the last sequence that was passed is not a whole number.
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

/**
 * The only error class of this package. Its message quotes nothing of the event, so you can log it.
 *
 * @example
 * ```ts
 * import { parseEvent, PaycastEventError } from "paycast-events";
 *
 * try {
 *   parseEvent("{");
 * } catch (error) {
 *   if (error instanceof PaycastEventError) console.log(error.code); // body-not-json
 * }
 * ```
 */
export class PaycastEventError extends Error {
  override readonly name = "PaycastEventError";
  readonly code: EventErrorCode;
  /** JSON pointer to the wrong field. It contains only names of the schema. */
  readonly path: string | undefined;
  /** The SQS message that `parseRecord` read. */
  readonly messageId: string | undefined;

  constructor(code: EventErrorCode, message: string, details: Details = {}) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.path = details.path;
    this.messageId = details.messageId;
  }
}
