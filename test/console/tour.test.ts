import { beforeAll, describe, expect, test } from "vitest";
import type { TourCard, TourView } from "../../console/tour/tour.ts";
import { until } from "../end-to-end/running-stack.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { type Console, openConsole } from "./open-console.ts";

const operated = useOperatedStack({}, 7);
let console: Console;
beforeAll(async () => {
  console = await openConsole(operated.stack().description.console);
});

const tour = async (): Promise<TourView> => await console.view("/api/tour");

/** Waits until nothing is played any more. */
const ended = async (name: string): Promise<TourCard> =>
  await until(
    `the end of ${name}`,
    async () => {
      const { isRunning, cards } = await tour();
      return isRunning ? undefined : cards.find((card) => card.name === name);
    },
    120_000,
  );

const play = async (name: string): Promise<TourCard> => {
  await console.send(`/api/tour/${name}/start`);
  return await ended(name);
};

describe("every scenario ends with a proof", () => {
  test.each(["paid", "duplicates", "subscriber-down", "lost", "keys", "forged"])(
    "%s",
    async (name) => {
      const started = Date.now();
      const { run } = await play(name);
      process.stdout.write(`${name} ${Date.now() - started} ms ${JSON.stringify(run, null, 1)}\n`);
      expect(run).toMatchObject({ state: "proven" });
    },
    120_000,
  );
});
