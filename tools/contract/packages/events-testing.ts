/** The entry `paycast-events/testing`. */
export * from "../../../shared/consumer/test-events.ts";
export * from "../../../shared/consumer/test-records.ts";
