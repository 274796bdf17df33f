import fc from "fast-check";
import { expect, test } from "vitest";
import { processBatch, type QueuedMessage } from "../../../shared/processing/process-batch.ts";

const message = (messageId: string, group: string): QueuedMessage => ({
  messageId,
  receiptHandle: `receipt of ${messageId}`,
  group,
  body: "",
  receiveCount: 1,
  sentAtMilliseconds: 0,
});

const failuresOf = async (batch: readonly QueuedMessage[], bad: ReadonlySet<string>) => {
  const seen: string[] = [];
  const given: string[] = [];
  const { batchItemFailures } = await processBatch(batch, {
    process: async ({ messageId }) => {
      seen.push(messageId);
      await Promise.resolve();
      return bad.has(messageId) ? {} : "done";
    },
    returnToInbox: async (messages) => {
      // The batch must wait for it: Lambda freezes the instance after the answer.
      await new Promise((resolve) => setImmediate(resolve));
      given.push(...messages.map(({ messageId }) => messageId));
    },
  });
  const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  expect([...given].sort()).toEqual([...failed].sort());
  return { seen, failed };
};

test("a group stops at its first failure, and the other groups go on", async () => {
  const batches = fc.array(
    fc.record({ group: fc.constantFrom("a", "b", "c"), bad: fc.boolean() }),
    {
      maxLength: 10,
    },
  );
  await fc.assert(
    fc.asyncProperty(batches, async (sample) => {
      const batch = sample.map(({ group }, index) => message(`${index}`, group));
      const bad = new Set(
        sample.flatMap((candidate, index) => (candidate.bad ? [`${index}`] : [])),
      );
      const { seen, failed } = await failuresOf(batch, bad);
      for (const group of ["a", "b", "c"]) {
        const ids = batch
          .filter((candidate) => candidate.group === group)
          .map(({ messageId }) => messageId);
        const firstBad = ids.findIndex((id) => bad.has(id));
        const kept = firstBad === -1 ? [] : ids.slice(firstBad);
        expect(failed.filter((id) => ids.includes(id))).toEqual(kept);
        const tried = firstBad === -1 ? ids : ids.slice(0, firstBad + 1);
        expect(seen.filter((id) => ids.includes(id))).toEqual(tried);
      }
    }),
  );
});
