export type LimitedWork = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs at most `most` works at the same time. The others wait in the order of their calls. */
export function limitConcurrency(most: number): LimitedWork {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
