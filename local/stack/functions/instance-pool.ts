import type { FunctionInstance } from "./function-instance.ts";

/** The instances of one function. An instance is reused for later events; there are never more than `maxInstances`. */
export class InstancePool {
  readonly #start: () => FunctionInstance;
  readonly #all = new Set<FunctionInstance>();
  /** The instances with the newest code. */
  readonly #current = new Set<FunctionInstance>();
  readonly #idle = new Set<FunctionInstance>();
  readonly #waiting: (() => void)[] = [];
  #freeSlots: number;

  constructor(start: () => FunctionInstance, maxInstances: number) {
    this.#start = start;
    this.#freeSlots = maxInstances;
  }

  /** Gives a free instance, starts one if the limit allows it, or waits. */
  async use<Result>(work: (instance: FunctionInstance) => Promise<Result>): Promise<Result> {
    if (this.#freeSlots > 0) this.#freeSlots -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const instance = this.#take();
    try {
      return await work(instance);
    } finally {
      this.#giveBack(instance);
    }
  }

  /** Instances that exist now are not used again. */
  renew(): void {
    for (const instance of this.#idle) void this.#discard(instance);
    this.#current.clear();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#all].map((instance) => this.#discard(instance)));
  }

  #take(): FunctionInstance {
    for (const instance of this.#idle) {
      this.#idle.delete(instance);
      if (instance.isAlive()) return instance;
      void this.#discard(instance);
    }
    const started = this.#start();
    this.#all.add(started);
    this.#current.add(started);
    return started;
  }

  #giveBack(instance: FunctionInstance): void {
    if (this.#current.has(instance) && instance.isAlive()) this.#idle.add(instance);
    else void this.#discard(instance);
    // The place goes directly to the event that waited longest, so that a new event cannot take it first.
    const next = this.#waiting.shift();
    if (next === undefined) this.#freeSlots += 1;
    else next();
  }

  async #discard(instance: FunctionInstance): Promise<void> {
    for (const set of [this.#all, this.#current, this.#idle]) set.delete(instance);
    await instance.stop();
  }
}
