import { expect, test } from "vitest";
import { createPace } from "../../../shared/reconciling/reconcile-orders.ts";

/** A clock that moves only while somebody waits. */
function makeClock() {
  let now = 1_794_705_765_000;
  const pauses: number[] = [];
  const pause = async (milliseconds: number) => {
    pauses.push(milliseconds);
    now += milliseconds;
  };
  const move = (milliseconds: number) => {
    now += milliseconds;
  };
  return { pauses, move, waitForTurn: createPace(() => now, pause) };
}

test("the first question does not wait, the next ones 200 ms after the one before", async () => {
  const { pauses, move, waitForTurn } = makeClock();
  await waitForTurn();
  move(50);
  await waitForTurn();
  await waitForTurn();
  expect(pauses).toEqual([150, 200]);
});

test("time that was not used is not made up for", async () => {
  const { pauses, move, waitForTurn } = makeClock();
  await waitForTurn();
  move(60_000);
  await waitForTurn();
  await waitForTurn();
  expect(pauses).toEqual([200]);
});

test("a clock that was set back makes nobody wait longer than a turn", async () => {
  const { pauses, move, waitForTurn } = makeClock();
  await waitForTurn();
  move(-3_600_000);
  await waitForTurn();
  expect(pauses).toEqual([200]);
});
