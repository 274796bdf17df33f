type Work = () => Promise<void> | void;

const longestTimerMilliseconds = 2 ** 31 - 1;
/** After this much work without a pause, sockets and timers run. */
const longestStretchMilliseconds = 20;

/**
 * The simulator's clock. It decides when things happen (expiry, processing, retries). It can run faster than real time,
 * stop (speed 0) and step forward. Timestamps on the wire never come from it, because a receiver compares them with
 * real time. If seven simulated days take seven seconds, the last retry is seven seconds old for the receiver.
 */
export class Clock {
  readonly #wallNowMilliseconds: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #tasks: { dueMilliseconds: number; work: Work }[] = [];
  #speed: number;
  #anchor: { wallMilliseconds: number; simulatedMilliseconds: number };
  #timer: NodeJS.Timeout | undefined;
  #running = 0;
  #stopped = false;
  #held = false;
  #waiting: (() => void)[] = [];

  constructor(speed: number, onError: (error: unknown) => void, wallNowMilliseconds = Date.now) {
    this.#wallNowMilliseconds = wallNowMilliseconds;
    this.#onError = onError;
    this.#speed = checkedSpeed(speed);
    this.#anchor = {
      wallMilliseconds: wallNowMilliseconds(),
      simulatedMilliseconds: wallNowMilliseconds(),
    };
  }

  nowMilliseconds(): number {
    return (
      this.#anchor.simulatedMilliseconds +
      (this.#wallNowMilliseconds() - this.#anchor.wallMilliseconds) * this.#speed
    );
  }

  get speed(): number {
    return this.#speed;
  }

  setSpeed(speed: number): void {
    this.#anchor = {
      wallMilliseconds: this.#wallNowMilliseconds(),
      simulatedMilliseconds: this.nowMilliseconds(),
    };
    this.#speed = checkedSpeed(speed);
    this.#arm();
  }

  /** Moves forward. Work that becomes due runs in the order of its due times. */
  step(milliseconds: number): void {
    this.#anchor = {
      wallMilliseconds: this.#wallNowMilliseconds(),
      simulatedMilliseconds: this.nowMilliseconds() + milliseconds,
    };
    this.#arm();
  }

  /** How far this clock is ahead of real time. Below zero if it is behind. */
  get aheadMilliseconds(): number {
    return this.nowMilliseconds() - this.#wallNowMilliseconds();
  }

  /** Runs the work at this time, or as soon as possible if the time is past. */
  at(dueMilliseconds: number, work: Work): void {
    const later = this.#tasks.findIndex((task) => task.dueMilliseconds > dueMilliseconds);
    this.#tasks.splice(later === -1 ? this.#tasks.length : later, 0, { dueMilliseconds, work });
    this.#arm();
  }

  /** From now on no work runs until `release`. Time goes on. */
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
    if (this.#running > 0 || this.#somethingIsDue()) return;
    const told = this.#waiting;
    this.#waiting = [];
    for (const tell of told) tell();
  }
}

function checkedSpeed(speed: number): number {
  if (Number.isFinite(speed) && speed >= 0) return speed;
  throw new Error("The clock's speed must be 0 (stopped) or a positive number.");
}
