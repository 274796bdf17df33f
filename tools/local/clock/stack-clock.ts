import { setTimeout as wait } from "node:timers/promises";

/** A part of the stack that does work at certain times. */
interface TimedPart {
  /** The time until its next work. Infinity if none is planned. */
  untilNextMilliseconds(): number;
  /** Called after the clock has moved forward. Starts the work that is due now. */
  moved(byMilliseconds: number): void;
  /** Whether all due work is finished or handed to the functions. */
  isQuiet(): boolean;
}

/**
 * The clock of the whole stack: functions, emulators, schedules, alarms and the payment service. It runs at the speed
 * of real time and can jump forward, never back. Everything that would have happened in between happens in order.
 */
export interface StackClock {
  readonly now: () => number;
  readonly aheadMilliseconds: () => number;
  /** The same, in memory shared with the functions' threads. */
  readonly ahead: Float64Array<SharedArrayBuffer>;
  /** A jump waits until no function runs, and functions wait until the clock has moved. */
  readonly runFunction: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly add: (part: TimedPart) => void;
  readonly jump: (milliseconds: number) => Promise<void>;
}

/** How a jump proceeds. */
interface Pace {
  /** In this last part of a jump everything runs at its exact second. */
  readonly exactMilliseconds: number;
  /** The maximum number of steps for the time before that. Work that is due every minute runs once per step. */
  readonly mostCoarseSteps: number;
  /** Under steady load something is always running, so the jump continues after this time. */
  readonly longestQuietWaitMilliseconds: number;
}
const usualPace: Pace = {
  exactMilliseconds: 20 * 60_000,
  mostCoarseSteps: 24,
  longestQuietWaitMilliseconds: 10_000,
};
/** The whole jump in one step, for a caller that steps itself. */
export const inOneStep: Pace = {
  exactMilliseconds: 0,
  mostCoarseSteps: 1,
  longestQuietWaitMilliseconds: 2_000,
};
const exactStepMilliseconds = 1_000;

export function createStackClock(
  aheadMilliseconds = 0,
  realNow: () => number = Date.now,
  { exactMilliseconds, mostCoarseSteps, longestQuietWaitMilliseconds }: Pace = usualPace,
): StackClock {
  const ahead = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  ahead[0] = aheadMilliseconds;
  const parts: TimedPart[] = [];
  const turns = createTurns();
  let jumping: Promise<void> = Promise.resolve();

  const step = async (milliseconds: number) => {
    await turns.whileNothingRuns(() => {
      ahead[0] = (ahead[0] ?? 0) + milliseconds;
    });
    for (const part of parts) part.moved(milliseconds);
    const isQuiet = () => turns.running() === 0 && parts.every((part) => part.isQuiet());
    await untilQuiet(isQuiet, longestQuietWaitMilliseconds);
  };
  const jumpNow = async (milliseconds: number) => {
    const coarseStep = Math.ceil((milliseconds - exactMilliseconds) / mostCoarseSteps);
    let remaining = milliseconds;
    while (remaining > 0) {
      const next = Math.min(...parts.map((part) => part.untilNextMilliseconds()));
      const coarse = Math.min(coarseStep, remaining - exactMilliseconds);
      const stepMilliseconds = Math.min(remaining, Math.max(exactStepMilliseconds, coarse, next));
      remaining -= stepMilliseconds;
      await step(stepMilliseconds);
    }
  };
  return {
    now: () => realNow() + (ahead[0] ?? 0),
    aheadMilliseconds: () => ahead[0] ?? 0,
    ahead,
    runFunction: turns.run,
    add: (part) => void parts.push(part),
    jump: (milliseconds) => {
      const jump = jumping.then(() => jumpNow(milliseconds));
      // The caller of this jump gets the failure. The next jump is not affected.
      jumping = jump.catch(() => {});
      return jump;
    },
  };
}

/** Idle twice in a row: between two checks a message may be on its way from a queue to a function. */
async function untilQuiet(isQuiet: () => boolean, longestMilliseconds: number): Promise<void> {
  const endsAt = performance.now() + longestMilliseconds;
  for (let quiet = 0; quiet < 2 && performance.now() < endsAt; ) {
    await wait(lookMilliseconds);
    quiet = isQuiet() ? quiet + 1 : 0;
  }
}

const lookMilliseconds = 3;

/** A readers-writer lock: many functions run at once, or one caller moves the clock. The clock has priority. */
function createTurns() {
  let running = 0;
  let moving: Promise<void> | undefined;
  const idle = new Set<() => void>();
  const leave = () => {
    running -= 1;
    if (running > 0) return;
    for (const wake of idle) wake();
    idle.clear();
  };
  return {
    running: () => running,
    run: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      while (moving !== undefined) await moving;
      running += 1;
      try {
        return await work();
      } finally {
        leave();
      }
    },
    whileNothingRuns: async (work: () => void): Promise<void> => {
      let letGo = () => {};
      moving = new Promise((resolve) => {
        letGo = resolve;
      });
      if (running > 0) await new Promise<void>((wake) => void idle.add(wake));
      work();
      moving = undefined;
      letGo();
    },
  };
}
