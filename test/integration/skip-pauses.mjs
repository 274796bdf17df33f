import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import promises from "node:timers/promises";

/*
 * Nobody waits for a pause: while a function waits for nothing but timers, its clock jumps to the next one. As soon as
 * it waits for an answer too, time passes as it really does, so a slow machine causes no timeout.
 */

const { setTimeout: setReal, clearTimeout: clearReal } = globalThis;
const lookEveryMilliseconds = 5;
const waiting = new Set();
let skippedMilliseconds = 0;
let isQuiet = false;
let isLooking = false;
let tellSkipped = () => {};

/** The time that was skipped so far. */
export const skipped = () => skippedMilliseconds;

/** From now on pauses are skipped; `tell` gets the length of each one. */
export function skipPauses(tell) {
  tellSkipped = tell;
  globalThis.setTimeout = timers.setTimeout = (work, milliseconds = 0, ...values) =>
    new Timer(() => work(...values), milliseconds);
  globalThis.clearTimeout = timers.clearTimeout = (timer) =>
    timer instanceof Timer ? timer.close() : clearReal(timer);
  promises.setTimeout = (milliseconds, value) =>
    new Promise((resolve) => new Timer(() => resolve(value), milliseconds));
  AbortSignal.timeout = (milliseconds) => {
    const controller = new AbortController();
    const late = new DOMException("The operation was aborted due to timeout", "TimeoutError");
    new Timer(() => controller.abort(late), milliseconds).unref();
    return controller.signal;
  };
  syncBuiltinESMExports();
}

const now = () => performance.now() + skippedMilliseconds;

class Timer {
  constructor(work, milliseconds) {
    this.work = work;
    this.milliseconds = Number(milliseconds) || 0;
    this.isPause = true;
    this.refresh();
  }
  refresh() {
    this.dueAt = now() + this.milliseconds;
    waiting.add(this);
    this.arm();
    return this;
  }
  /** Also after a jump, which makes the rest shorter. */
  arm() {
    clearReal(this.real);
    this.real = setReal(() => this.fire(), Math.max(0, this.dueAt - now()));
    if (this.isPause) look();
    else this.real.unref();
  }
  fire() {
    this.close();
    this.work();
  }
  close() {
    clearReal(this.real);
    waiting.delete(this);
    return this;
  }
  ref() {
    this.isPause = true;
    this.real.ref();
    return this;
  }
  unref() {
    this.isPause = false;
    this.real.unref();
    return this;
  }
  hasRef() {
    return this.isPause;
  }
}

/** Looks again and again while something waits. Twice quiet is quiet: what was just begun may not be listed yet. */
function look() {
  if (isLooking) return;
  isLooking = true;
  setReal(() => {
    isLooking = false;
    const pauses = [...waiting].filter(({ isPause }) => isPause);
    const wasQuiet = isQuiet;
    isQuiet = process.getActiveResourcesInfo().every((name) => idle.has(name));
    if (wasQuiet && isQuiet && pauses.length > 0) jumpTo(Math.min(...pauses.map(dueAt)));
    if (waiting.size > 0) look();
  }, lookEveryMilliseconds).unref();
}

const idle = new Set(["Timeout", "MessagePort"]);
const dueAt = (timer) => timer.dueAt;

function jumpTo(time) {
  isQuiet = false;
  const milliseconds = Math.max(0, Math.ceil(time - now()));
  skippedMilliseconds += milliseconds;
  tellSkipped(milliseconds);
  const due = [...waiting].filter((timer) => timer.dueAt <= now());
  for (const timer of due.sort((left, right) => left.dueAt - right.dueAt)) timer.fire();
  for (const timer of waiting) timer.arm();
}
