import { pbkdf2 } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { Disturbance } from "./disturbance.ts";

/** One measurement of how fast the machine works, in a thread of its own. */
export interface Sample {
  readonly fromMilliseconds: number;
  readonly untilMilliseconds: number;
  /** How long a small piece of work took. Even on a busy machine it sometimes runs without a pause. */
  readonly shortMilliseconds: number;
  /** How long twenty times as much took. */
  readonly longMilliseconds: number;
}

const shortRounds = 10_000;
const shortsInLong = 20;
const pauseMilliseconds = 700;

/** The machine is busy if work takes this many times as long as on an idle core. */
const busyStretch = 2.5;

/**
 * The times in which the machine was busy: a call of the stack may then reach a time limit although nothing is broken.
 */
export function busyTimesOf(samples: readonly Sample[]): Disturbance[] {
  const fastest = Math.min(...samples.map(({ shortMilliseconds }) => shortMilliseconds));
  return samples.flatMap(({ fromMilliseconds, untilMilliseconds, longMilliseconds }) => {
    const stretch = longMilliseconds / (shortsInLong * fastest);
    const what = `the machine is busy: work takes ${stretch.toFixed(1)} times as long`;
    return stretch < busyStretch ? [] : [{ what, fromMilliseconds, untilMilliseconds }];
  });
}

/** Measures until it is stopped, then returns the busy times, by this clock. It uses about a tenth of a core. */
export function watchMachine(now: () => number): () => Promise<Disturbance[]> {
  const samples: Sample[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const [fromMilliseconds, realMilliseconds] = [now(), Date.now()];
      await wait(pauseMilliseconds);
      const shortMilliseconds = await timeOf(shortRounds);
      const longMilliseconds = await timeOf(shortRounds * shortsInLong);
      const untilMilliseconds = now();
      const hasJumped = untilMilliseconds - fromMilliseconds > Date.now() - realMilliseconds + 100;
      if (hasJumped) continue;
      samples.push({ fromMilliseconds, untilMilliseconds, shortMilliseconds, longMilliseconds });
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return busyTimesOf(samples);
  };
}

const work = promisify(pbkdf2);

async function timeOf(rounds: number): Promise<number> {
  const startedAt = performance.now();
  await work("", "", rounds, 32, "sha256");
  return performance.now() - startedAt;
}
