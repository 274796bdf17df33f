import { setTimeout as wait } from "node:timers/promises";
import type { Emulators } from "../../../tools/local/aws/start-emulators.ts";
import type { Simulator } from "../../../tools/simulator/start-simulator.ts";
import type { StackProcess } from "../stack-process.ts";

/** The time of the whole world: stack, emulators, payment service, and all that is written down. */
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

/** Under steady load there is always something to do, and a callback whose answer is lost must not stop the time. */
const longestWorkMilliseconds = 2_000;

/** Lets time pass everywhere at once, in one step: each schedule ticks, and what has become due is done. */
export async function passTime({ time, queues, simulator, stack }: Moved, seconds: number) {
  const milliseconds = seconds * 1_000;
  // The stack first: a callback may look old to it for a moment, but none may come from the future.
  await stack.jump(milliseconds, () => {
    time.add(milliseconds);
    queues.lookAgain();
    simulator.jumpClock(seconds);
  });
  await Promise.race([simulator.settled(), wait(longestWorkMilliseconds)]);
}
