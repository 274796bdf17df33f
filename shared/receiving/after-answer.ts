import { setImmediate } from "node:timers/promises";
import { captureMilliseconds, longestReceiveMilliseconds } from "../timing.ts";

/** Work that goes on when the answer of an invocation is out. */
export interface AfterAnswer {
  /** Begins the work after the current answer. If it fails, nobody else notices. */
  readonly begin: (work: () => Promise<void>) => void;
  /** The handler of this invocation has returned. */
  readonly answered: (requestId: string) => void;
  /** Waits until the invocation is answered and the work is done; both waits have a limit. */
  readonly allDone: (requestId: string) => Promise<void>;
}

export function createAfterAnswer(): AfterAnswer {
  const working = new Set<Promise<void>>();
  // Lambda gives an instance one invocation at a time, so the last one is enough.
  let lastAnswered: string | undefined;
  let onAnswer: () => void = () => undefined;

  function begin(work: () => Promise<void>): void {
    const done = setImmediate()
      .then(work)
      .catch(() => undefined)
      .finally(() => working.delete(done));
    working.add(done);
  }

  function answered(requestId: string): void {
    lastAnswered = requestId;
    onAnswer();
  }

  async function untilAnswered(requestId: string): Promise<void> {
    while (lastAnswered !== requestId) {
      await new Promise<void>((resolve) => {
        onAnswer = resolve;
      });
    }
  }

  async function allDone(requestId: string): Promise<void> {
    await within(longestReceiveMilliseconds, untilAnswered(requestId));
    await within(captureMilliseconds, Promise.all(working));
  }

  return { begin, answered, allDone };
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
