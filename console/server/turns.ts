/** Work on the same thing, one after the other. */
export type TakeTurns = <T>(thing: string, work: () => Promise<T>) => Promise<T>;

/**
 * A walk through a queue holds its messages for that time, and another walk would not see them. So looks,
 * previews and redrives of one queue wait for each other.
 */
export function createTurns(): TakeTurns {
  const latest = new Map<string, Promise<unknown>>();
  return async (thing, work) => {
    const turn = (latest.get(thing) ?? Promise.resolve()).then(work);
    const ended = turn.catch(() => undefined);
    latest.set(thing, ended);
    try {
      return await turn;
    } finally {
      if (latest.get(thing) === ended) latest.delete(thing);
    }
  };
}
