import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { expect, test, vi } from "vitest";
import { type BatchOptions, handleBatch } from "../../../shared/consumer/handle-batch.ts";
import { testEvent } from "../../../shared/consumer/test-events.ts";
import { testRecord } from "../../../shared/consumer/test-records.ts";

function recordOf(name: string, orderNo: string, receiveCount = 1): SQSRecord {
  const event = testEvent("payment.order.success", { orderNo });
  return { ...testRecord(event, { receiveCount }), messageId: name };
}

/** Every message whose name begins with "poison" fails. */
async function run(records: SQSRecord[], options: BatchOptions<SQSRecord> = {}) {
  const tried: string[] = [];
  const event: SQSEvent = { Records: records };
  const handle = async ({ messageId }: SQSRecord) => {
    tried.push(messageId);
    if (messageId.startsWith("poison")) throw new Error("It always fails.");
  };
  // The compiler checks that the answer is what Lambda wants.
  const answer: SQSBatchResponse = await handleBatch(event, handle, {
    onFailure: () => {},
    ...options,
  });
  return { tried, failed: answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) };
}

test("a batch without a failure gives nothing back", async () => {
  const records = [recordOf("one", "A"), recordOf("two", "A"), recordOf("three", "B")];
  expect(await run(records)).toEqual({ tried: ["one", "two", "three"], failed: [] });
});

test("after a failure the rest of its group is returned untried, and other groups go on", async () => {
  const records = [
    recordOf("before", "A"),
    recordOf("poison", "A"),
    recordOf("other", "B"),
    recordOf("behind", "A"),
  ];
  expect(await run(records)).toEqual({
    tried: ["before", "poison", "other"],
    failed: ["poison", "behind"],
  });
});

test.each([
  [7, ["poison"], ["poison", "behind"]],
  [8, ["poison", "behind"], ["poison"]],
  [9, ["poison", "behind"], ["poison"]],
  [10, ["poison", "behind"], ["poison"]],
])(
  "on receive %i of ten a failing message lets these be tried: %j",
  async (receive, tried, failed) => {
    // What came to the queue later was received less often.
    for (const count of [receive, 1]) {
      const records = [recordOf("poison", "A", receive), recordOf("behind", "A", count)];
      expect(await run(records)).toEqual({ tried, failed });
    }
  },
);

test("a second failing message stops the group again, if it has more than three receives left", async () => {
  const records = [
    recordOf("poison 1", "A", 8),
    recordOf("poison 2", "A", 2),
    recordOf("behind", "A", 2),
  ];
  expect(await run(records)).toEqual({
    tried: ["poison 1", "poison 2"],
    failed: ["poison 1", "poison 2", "behind"],
  });
});

test("the last three receives are counted from the queue's own maxReceiveCount", async () => {
  const records = (count: number) => [recordOf("poison", "A", count), recordOf("behind", "A")];
  const stopped = { tried: ["poison"], failed: ["poison", "behind"] };
  expect(await run(records(2), { maxReceiveCount: 5 })).toEqual(stopped);
  expect(await run(records(3), { maxReceiveCount: 5 })).toEqual({
    tried: ["poison", "behind"],
    failed: ["poison"],
  });
  expect(await run(records(900), { maxReceiveCount: 1000 })).toEqual(stopped);
});

test.each([
  [4, [1]],
  [3, [1]],
  [2, [1]],
  [1, []],
])(
  "with a maxReceiveCount of %i a failing message stops its group on receives %j",
  async (maxReceiveCount, stopping) => {
    for (let receive = 1; receive <= maxReceiveCount; receive += 1) {
      const records = [recordOf("poison", "A", receive), recordOf("behind", "A", receive)];
      const { failed } = await run(records, { maxReceiveCount });
      expect(failed.includes("behind")).toBe(stopping.includes(receive));
    }
  },
);

test.each([
  [
    "throws",
    () => {
      throw new Error("No log.");
    },
  ],
  ["rejects", () => Promise.reject(new Error("No log."))],
])(
  "an onFailure that %s fails no other message, and both errors are written",
  async (_how, onFailure) => {
    const line = vi.spyOn(console, "error").mockReturnValue();
    const records = [recordOf("good", "A"), recordOf("poison", "B"), recordOf("other", "C")];
    expect(await run(records, { onFailure })).toEqual({
      tried: ["good", "poison", "other"],
      failed: ["poison"],
    });
    expect(line.mock.calls).toEqual([
      ["Message poison failed on receive 1.", new Error("It always fails.")],
      ["onFailure failed.", new Error("No log.")],
    ]);
    line.mockRestore();
  },
);

test("on a queue that is not ordered each message is its own", async () => {
  const unordered = (name: string): SQSRecord => {
    const { MessageGroupId, ...attributes } = recordOf(name, "A").attributes;
    return { ...recordOf(name, "A"), attributes };
  };
  expect(await run(["poison 1", "good", "poison 2"].map(unordered))).toEqual({
    tried: ["poison 1", "good", "poison 2"],
    failed: ["poison 1", "poison 2"],
  });
});

test("a failure without a promise is a failure, too, and a message without attributes counts as received once", async () => {
  const Records = [{ messageId: "bare" }, { messageId: "other" }];
  const failures: unknown[] = [];
  const onFailure = (...failure: unknown[]) => void failures.push(failure);
  const handle = ({ messageId }: { messageId: string }) => {
    if (messageId === "bare") throw "no error";
  };
  expect(await handleBatch({ Records }, handle, { onFailure })).toEqual({
    batchItemFailures: [{ itemIdentifier: "bare" }],
  });
  expect(failures).toEqual([[{ messageId: "bare" }, "no error"]]);
});

test("a failure is written to the console, if nobody asks for it", async () => {
  const line = vi.spyOn(console, "error").mockReturnValue();
  await run([recordOf("poison", "A", 3), recordOf("behind", "A", 3)], { onFailure: undefined });
  expect(line.mock.calls).toEqual([
    ["Message poison failed on receive 3.", new Error("It always fails.")],
  ]);
});
