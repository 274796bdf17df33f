import { keepNewest } from "../keep-newest.ts";

/** A result, and when it was read. */
export interface Looked<T> {
  readonly lookedAt: string;
  readonly found: T;
}

interface LookOptions<T> {
  readonly look: (thing: string) => Promise<T>;
  readonly takeTurns: TakeTurns;
  /** How long a result is fresh for a newly opened page. */
  readonly freshMilliseconds: number;
  readonly now?: () => number;
}

const mostKept = 50;

/** Caches reads that cost too much to repeat on every change. All pages share them. */
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
      // A change during the read has already invalidated it.
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
    /** A read that starts after this call. */
    again,
    /** The last result of any age, unless it was invalidated. */
    known: (thing: string) => kept.get(thing),
    /** The last result, if it is fresh. */
    fresh,
    /** The last result if it is fresh, otherwise a new one. */
    last: async (thing: string) => fresh(thing) ?? (await (running.get(thing) ?? again(thing))),
    /** Call it after a change: the next caller reads again. */
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

/** Runs work on the same key one after the other. */
export type TakeTurns = <T>(thing: string, work: () => Promise<T>) => Promise<T>;

/**
 * Reading a queue hides its messages from every other reader. So reads, previews and redrives of one queue run one
 * after the other.
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

/** Concurrent requests of several pages share one read. */
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
    /** Joins the running read of this path, or starts one. It is aborted when every requester has disconnected. */
    read: async (address: string, gone: AbortSignal, begin: Begin) => {
      const reading = running.get(address) ?? start(address, begin);
      reading.askers += 1;
      gone.addEventListener("abort", () => leave(address, reading), { once: true });
      return await reading.result;
    },
    /** Call it after a change: a running read may not show the change, so the next request starts a new one. */
    forget: () => running.clear(),
  };
}
