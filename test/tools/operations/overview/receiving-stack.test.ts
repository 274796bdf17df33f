import { expect, test } from "vitest";
import { readFlow } from "../../../../tools/operations/overview/read-flow.ts";
import type { Queues } from "../../../../tools/operations/ports/queues.ts";
import { memoryMerchant } from "../keys/memory-merchant.ts";

const queues = {
  inbox: { url: "inbox", deadLettersUrl: "dead-letters" },
  subscribers: [],
  oldestTimes: async () => new Map(),
  open: () => ({ attributes: async () => ({}) }),
} as unknown as Queues;

test.each([true, false])(
  "the flow has a storefront if the stack has one: %s",
  async (hasService) => {
    const { target } = memoryMerchant({}, { hasService });
    const stack = { ...target.stack, changesSince: async () => [] };
    const flow = await readFlow({ ...target, stack, queues });
    expect(flow.hasStorefront).toBe(hasService);
  },
);
