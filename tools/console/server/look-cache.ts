import { keepNewest } from "../keep-newest.ts";

/** What was seen, and when. */
export interface Looked<T> {
  readonly lookedAt: string;
  readonly found: T;
}

interface LookOptions<T> {
  readonly look: (thing: string) => Promise<T>;
  readonly takeTurns: TakeTurns;
  /** How long a look is good for a page that is opened. */
  readonly freshMilliseconds: number;
  readonly now?: () => number;
}

const mostKept = 50;

/** Looks that cost too much to be repeated at every change. All pages share them. */
export function createLookCache<T>(options: LookOptions<T>) {
  const { look, takeTurns, freshMilliseconds, now = Date.now } = options;
  const kept = new Map<string, Looked<T>>();
  const waiting = new Map<string, Promise<Looked<T>>>();
  const running = new Map<string, Promise<Looked<T>>>();
  const begin = async (thing: string): Promise<Looked<T>> => {
    move(waiting, running, thing);
    const lookedAt = new Date(now()).toISOString();
    try {
      const looked = { lookedAt, found: await look(thing) };
      // If something was changed meanwhile, it is forgotten already.
      if (running.has(thing)) keepNewest(kept, thing, looked, mostKept);
      return looked;
    } finally {
      running.delete(thing);
    }
  };
  const again = (thing: string): Promise<Looked<T>> => {
    const before = waiting.get(thing);
    if (before !== undefined) return before;
    const turn = takeTurns(thing, () => begin(thing));
    waiting.set(thing, turn);
    return turn;
  };
  const isFresh = ({ lookedAt }: Looked<T>) => now() - Date.parse(lookedAt) < freshMilliseconds;
  const fresh = (thing: string): Looked<T> | undefined => {
    const known = kept.get(thing);
    return known !== undefined && isFresh(known) ? known : undefined;
  };
  return {
    /** A look that begins after this call. */
    again,
    /** The last look, however old, if it was not forgotten. */
    known: (thing: string) => kept.get(thing),
    /** The last look, if it is not too old. */
    fresh,
    /** The same; otherwise a new one. */
    last: async (thing: string) => fresh(thing) ?? (await (running.get(thing) ?? again(thing))),
    /** After a change: the next to ask gets a new look. */
    forget: () => {
      kept.clear();
      running.clear();
    },
  };
}

function move<T>(from: Map<string, T>, to: Map<string, T>, thing: string): void {
  const value = from.get(thing);
  from.delete(thing);
  if (value !== undefined) to.set(thing, value);
}

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

type Begin = (stopped: AbortSignal) => Promise<unknown>;

interface Reading {
  readonly result: Promise<unknown>;
  readonly stop: () => void;
  askers: number;
}

export type SharedReads = ReturnType<typeof createSharedReads>;

/** What several pages ask for at the same time is read once. */
export function createSharedReads() {
  const running = new Map<string, Reading>();
  const end = (address: string, reading: Reading) => {
    if (running.get(address) === reading) running.delete(address);
  };
  const start = (address: string, begin: Begin): Reading => {
    const stopping = new AbortController();
    const result = begin(stopping.signal).finally(() => end(address, reading));
    const reading: Reading = { result, stop: () => stopping.abort(), askers: 0 };
    running.set(address, reading);
    return reading;
  };
  const leave = (address: string, reading: Reading) => {
    reading.askers -= 1;
    if (reading.askers > 0) return;
    end(address, reading);
    reading.stop();
  };
  return {
    /** Joins the read of this address that is under way, or begins one. It is stopped when everybody who asked has gone. */
    read: async (address: string, gone: AbortSignal, begin: Begin) => {
      const reading = running.get(address) ?? start(address, begin);
      reading.askers += 1;
      gone.addEventListener("abort", () => leave(address, reading), { once: true });
      return await reading.result;
    },
    /** After a change: a read that began before it may not show it, so the next to ask begins a new one. */
    forget: () => running.clear(),
  };
}
