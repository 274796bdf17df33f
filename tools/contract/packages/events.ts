/** The entry `paycast-events`. */
export * from "../../../shared/consumer/event-error.ts";
export * from "../../../shared/consumer/handle-batch.ts";
export * from "../../../shared/consumer/is-stale.ts";
export * from "../../../shared/consumer/parse-event.ts";
export * from "../../../shared/consumer/parse-record.ts";
export type * from "../../../shared/consumer/typed-events.ts";
