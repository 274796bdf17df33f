/** What several pages ask for at the same time is read once. */
export interface SharedReads {
  /** Joins the read of this address that is under way, or begins one. It is stopped when everybody who asked has gone. */
  readonly read: (
    address: string,
    gone: AbortSignal,
    begin: (stopped: AbortSignal) => Promise<unknown>,
  ) => Promise<unknown>;
  /** After a change: a read that began before it may not show it, so the next to ask begins a new one. */
  readonly forget: () => void;
}

interface Reading {
  readonly result: Promise<unknown>;
  readonly stop: () => void;
  askers: number;
}

export function createSharedReads(): SharedReads {
  const running = new Map<string, Reading>();
  const end = (address: string, reading: Reading) => {
    if (running.get(address) === reading) running.delete(address);
  };
  const start = (address: string, begin: (stopped: AbortSignal) => Promise<unknown>): Reading => {
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
    read: async (address, gone, begin) => {
      const reading = running.get(address) ?? start(address, begin);
      reading.askers += 1;
      gone.addEventListener("abort", () => leave(address, reading), { once: true });
      return await reading.result;
    },
    forget: () => running.clear(),
  };
}
