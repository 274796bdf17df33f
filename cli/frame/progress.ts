import type { Terminal } from "./command.ts";

const clearLine = "\r\u001b[K";
const intervalMilliseconds = 200;

export interface Progress {
  readonly tell: (text: string) => void;
  readonly end: () => void;
}

/** One line on a terminal that is written over; nothing where nobody watches. */
export function createProgress(
  { err, errIsTty }: Terminal,
  now: () => number = Date.now,
): Progress {
  if (!errIsTty) return { tell: () => {}, end: () => {} };
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    tell: (text) => {
      if (now() - toldAt < intervalMilliseconds) return;
      toldAt = now();
      err(`${clearLine}${text}`);
    },
    end: () => err(clearLine),
  };
}
