export type TakeTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets so many works run at a time; the others wait, first come first served. */
export function takeTurns(most: number): TakeTurn {
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
