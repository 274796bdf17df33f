import { expect, test } from "vitest";
import { limitConcurrency } from "../../../simulator/callbacks/post-callback.ts";

test("no more works than allowed run at a time, and all get their turn in order", async () => {
  const inTurn = limitConcurrency(3);
  const started: number[] = [];
  let running = 0;
  let most = 0;
  const works = Array.from({ length: 20 }, (_, index) =>
    inTurn(async () => {
      started.push(index);
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    }),
  );
  await Promise.all(works);
  expect(most).toBe(3);
  expect(started).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

test("a work that fails gives its turn away", async () => {
  const inTurn = limitConcurrency(1);
  const failing = inTurn(() => Promise.reject(new Error("no")));
  const next = inTurn(async () => "done");
  await expect(failing).rejects.toThrow("no");
  await expect(next).resolves.toBe("done");
});
