import fc from "fast-check";
import { expect, test } from "vitest";
import { draws } from "../../setup/draws.ts";
import { histories, tell } from "./history.ts";
import { startWorld } from "./world.ts";

test("whatever happens in whatever order, the product does what the definitions say", async () => {
  const property = fc.asyncProperty(histories, async ({ namesTransactions, steps }) => {
    const world = startWorld(namesTransactions);
    try {
      for (const { step, fault } of steps) await world.take(step, fault);
      await world.drain();
      expect(await world.outcome()).toEqual(world.expected());
    } catch (error) {
      const { message, actual, expected } = error as Record<string, unknown>;
      const story = steps.map(({ step, fault }, index) => `${index + 1}. ${tell(step, fault)}`);
      const ends = [`product: ${JSON.stringify(actual)}`, `model: ${JSON.stringify(expected)}`];
      throw new Error([...story, message, ...ends].join("\n"));
    }
  });
  await fc.assert(property, { numRuns: draws(250) });
});
