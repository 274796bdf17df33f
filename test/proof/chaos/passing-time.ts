import { setTimeout as wait } from "node:timers/promises";
import type { Emulators } from "../../../tools/local/aws/start-emulators.ts";
import type { Simulator } from "../../../tools/simulator/start-simulator.ts";
import type { StackProcess } from "../stack-process.ts";

/** One clock for everything: stack, emulators, payment service, and all records of the run. */
export function createTime() {
  let aheadMilliseconds = 0;
  return {
    now: () => Date.now() + aheadMilliseconds,
    aheadMilliseconds: () => aheadMilliseconds,
    add: (milliseconds: number) => {
      aheadMilliseconds += milliseconds;
    },
  };
}

type Time = ReturnType<typeof createTime>;

interface Moved {
  readonly time: Time;
  readonly queues: Emulators["queues"];
  readonly simulator: Pick<Simulator, "jumpClock" | "settled">;
  readonly stack: Pick<StackProcess, "jump">;
}

/** Under steady load there is always work, and a callback whose response is lost must not stop the clock. */
const longestWorkMilliseconds = 2_000;

/** Moves the clock everywhere at once, in one step: each schedule runs, and everything due is done. */
export async function passTime({ time, queues, simulator, stack }: Moved, seconds: number) {
  const milliseconds = seconds * 1_000;
  // The stack first: a callback may seem old for a moment, but none may have a time in the future.
  await stack.jump(milliseconds, () => {
    time.add(milliseconds);
    queues.lookAgain();
    simulator.jumpClock(seconds);
  });
  await Promise.race([simulator.settled(), wait(longestWorkMilliseconds)]);
}
