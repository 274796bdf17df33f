import { describe, expect, test } from "vitest";
import { failedMessages } from "../../local/stack/triggers/sqs-event.ts";

describe("a partial response", () => {
  const messages = [{ MessageId: "a" }, { MessageId: "b" }];
  const failed = (result: unknown) =>
    failedMessages(messages, JSON.stringify(result)).map(({ MessageId }) => MessageId);

  test("names the messages that failed", () => {
    expect(failed({ batchItemFailures: [{ itemIdentifier: "b" }] })).toEqual(["b"]);
  });
  test.each([null, {}, { batchItemFailures: null }, { batchItemFailures: [] }])(
    "%j means that none failed",
    (result) => expect(failed(result)).toEqual([]),
  );
  test.each([
    "text",
    { batchItemFailures: "all" },
    { batchItemFailures: [{ itemIdentifier: "" }] },
    { batchItemFailures: [{ itemIdentifier: null }] },
    { batchItemFailures: [{ id: "a" }] },
    { batchItemFailures: [{ itemIdentifier: "stranger" }] },
  ])("%j means that all failed", (result) => expect(failed(result)).toEqual(["a", "b"]));
});
