import { once } from "node:events";
import { expect, test } from "vitest";
import { stoppedOrLate } from "../../../tools/operations/stopped-or-late.ts";
import { collectGarbage } from "../../setup/collect-garbage.ts";

test("the time limit survives a garbage collection", async () => {
  const signal = stoppedOrLate(new AbortController().signal, 200);
  const aborted = once(signal, "abort");
  await collectGarbage();
  await aborted;
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
});

test("a stop comes before the time limit", () => {
  const stop = new AbortController();
  const signal = stoppedOrLate(stop.signal, 600_000);
  stop.abort();
  expect(signal.aborted).toBe(true);
});
