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
