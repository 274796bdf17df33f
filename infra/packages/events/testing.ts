/** What `import … from "paycast-events/testing"` gives. */
export * from "../../../shared/consumer/test-events.ts";
export * from "../../../shared/consumer/test-records.ts";
