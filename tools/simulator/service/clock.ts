type Work = () => Promise<void> | void;

/** Seven days in 0.6 seconds. */
export const fastestSpeed = 1_000_000;
export const longestJumpSeconds = 366 * 86_400;
/** The end of the year 9999. The clock stops there, because later times cannot be formatted. */
const latestMilliseconds = Date.UTC(10_000, 0) - 1;

export interface ClockChange {
  readonly backToNow?: boolean | undefined;
  /** Sets the clock this far ahead of the receiver's time. A negative number sets it behind. */
  readonly aheadSeconds?: number | undefined;
  readonly speed?: number | undefined;
  readonly jumpSeconds?: number | undefined;
}

const longestTimerMilliseconds = 2 ** 31 - 1;
/** After this much work without a pause, it yields to sockets and timers. */
const longestStretchMilliseconds = 20;

/**
 * The simulator's clock. It decides when things happen (expiry, processing, retries). It can run faster than real time,
 * stop (speed 0) and jump forward. Timestamps on the wire come from the receiver's clock instead, because the receiver
 * compares them with it: if seven simulated days take seven seconds, the last retry is seven seconds old for the receiver.
 */
export class Clock {
  /** The receiver's time. */
  readonly wireMilliseconds: () => number;
  readonly #realMilliseconds: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #tasks: { dueMilliseconds: number; work: Work }[] = [];
  #speed: number;
  #anchor: { realMilliseconds: number; simulatedMilliseconds: number };
  #timer: NodeJS.Timeout | undefined;
  #running = 0;
  #stopped = false;
  #held = false;
  #waiting: (() => void)[] = [];

  constructor(
    speed: number,
    onError: (error: unknown) => void,
    wireMilliseconds: () => number = Date.now,
    realMilliseconds: () => number = Date.now,
  ) {
    this.wireMilliseconds = wireMilliseconds;
    this.#realMilliseconds = realMilliseconds;
    this.#onError = onError;
    this.#speed = checkedSpeed(speed);
    this.#anchor = {
      realMilliseconds: realMilliseconds(),
      simulatedMilliseconds: wireMilliseconds(),
    };
  }

  nowMilliseconds(): number {
    const passed = (this.#realMilliseconds() - this.#anchor.realMilliseconds) * this.#speed;
    return Math.min(this.#anchor.simulatedMilliseconds + passed, latestMilliseconds);
  }

  get speed(): number {
    return this.#speed;
  }

  change({ backToNow = false, aheadSeconds, speed }: Omit<ClockChange, "jumpSeconds">): void {
    const ahead = backToNow ? 0 : aheadSeconds;
    if (ahead !== undefined) this.#moveTo(this.wireMilliseconds() + ahead * 1000);
    if (speed !== undefined) this.setSpeed(speed);
  }

  setSpeed(speed: number): void {
    const checked = checkedSpeed(speed);
    this.jump(0);
    this.#speed = checked;
    this.#arm();
  }

  /** Moves forward. Work that becomes due runs in the order of its due times. */
  jump(milliseconds: number): void {
    this.#moveTo(this.nowMilliseconds() + milliseconds);
  }

  /** Due times do not change: after a move back, planned work waits for its time. */
  #moveTo(simulatedMilliseconds: number): void {
    this.#anchor = { realMilliseconds: this.#realMilliseconds(), simulatedMilliseconds };
    this.#arm();
  }

  /** How far this clock is ahead of the receiver's. Negative if it is behind. */
  get aheadMilliseconds(): number {
    return this.nowMilliseconds() - this.wireMilliseconds();
  }

  /** Runs the work at this time, or as soon as possible if it has passed. */
  at(dueMilliseconds: number, work: Work): void {
    const later = this.#tasks.findIndex((task) => task.dueMilliseconds > dueMilliseconds);
    this.#tasks.splice(later === -1 ? this.#tasks.length : later, 0, { dueMilliseconds, work });
    this.#arm();
  }

  /** The time until the next work, on this clock. Infinity if none is planned. */
  untilNextMilliseconds(): number {
    const [next] = this.#tasks;
    return next === undefined
      ? Infinity
      : Math.max(0, next.dueMilliseconds - this.nowMilliseconds());
  }

  /** Runs no work until `release`. The clock continues. */
  hold(): void {
    this.#held = true;
    this.#arm();
  }

  release(): void {
    this.#held = false;
    this.#arm();
  }

  /** Resolves when no work runs and none is due now. Work that is due later does not count. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#tellSettled();
    });
  }

  /** Whether no work runs and none is due now. */
  isSettled(): boolean {
    return this.#running === 0 && !this.#somethingIsDue();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#tellSettled();
  }

  #somethingIsDue(): boolean {
    const [next] = this.#tasks;
    if (this.#stopped || this.#held || next === undefined) return false;
    return next.dueMilliseconds <= this.nowMilliseconds();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const [next] = this.#tasks;
    const due = this.#somethingIsDue();
    if (this.#stopped || this.#held || next === undefined || (this.#speed === 0 && !due)) return;
    const delayMilliseconds = due
      ? 0
      : Math.ceil((next.dueMilliseconds - this.nowMilliseconds()) / this.#speed);
    this.#timer = setTimeout(
      () => this.#runDue(),
      Math.min(delayMilliseconds, longestTimerMilliseconds),
    );
  }

  #runDue(): void {
    const stretchEndMilliseconds = performance.now() + longestStretchMilliseconds;
    while (this.#somethingIsDue() && performance.now() < stretchEndMilliseconds) {
      const task = this.#tasks.shift();
      if (task !== undefined) void this.#run(task.work);
    }
    this.#arm();
    this.#tellSettled();
  }

  async #run(work: Work): Promise<void> {
    this.#running += 1;
    try {
      await work();
    } catch (error) {
      this.#onError(error);
    } finally {
      this.#running -= 1;
      this.#tellSettled();
    }
  }

  #tellSettled(): void {
    if (!this.isSettled()) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const tell of waiting) tell();
  }
}

function checkedSpeed(speed: number): number {
  if (speed >= 0 && speed <= fastestSpeed) return speed;
  throw new Error(`The clock's speed must be from 0 (stopped) to ${fastestSpeed}.`);
}
