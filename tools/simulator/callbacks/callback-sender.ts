import type { CallbackFault } from "../faults/fault.ts";
import type { FaultBoard } from "../faults/fault-board.ts";
import { anotherTransaction, spoilContent } from "../faults/spoil-callback.ts";
import type { Callback, Order } from "../orders/order.ts";
import type { ResultObject } from "../wire/callback-envelope.ts";
import { contentsOf, type Job, newDraft, nextParcels, type Parcel, type Retries } from "./job.ts";
import type { CallbackAnswer } from "./post-callback.ts";
import { limitConcurrency } from "./post-callback.ts";
import { retryOffsetsMilliseconds } from "./retry-schedule.ts";

/** A clock step may expire thousands of orders. At most this many callbacks are sent at the same time. */
const mostAtATime = 50;

/** The fault "out-of-order" releases a held callback after this time if no other callback follows. */
const longestHoldMilliseconds = 60_000;

/** Makes sure that the first success arrives first. */
const duplicateAfterMilliseconds = 1_000;

/** The part of the simulator's clock that the sender needs. */
interface SenderClock {
  nowMilliseconds(): number;
  /** The receiver's time. */
  wireMilliseconds(): number;
  /** Runs the work when it is due. */
  at(dueMilliseconds: number, work: () => Promise<void> | void): void;
}

export interface SenderDependencies {
  clock: SenderClock;
  faults: FaultBoard;
  post: (url: string, body: string) => Promise<CallbackAnswer>;
  /** If set, all callbacks go here instead of to the order's address. */
  callbackUrl: string | undefined;
  retries: Retries;
  log: (line: string) => void;
}

/** Sends callbacks and retries each until the merchant returns HTTP 200 or the schedule ends (§6). */
export class CallbackSender {
  readonly #use: SenderDependencies;
  readonly #jobs = new Map<string, Job>();
  readonly #held = new Map<Order, Job>();
  readonly #inTurn = limitConcurrency(mostAtATime);

  constructor(dependencies: SenderDependencies) {
    this.#use = dependencies;
  }

  /** `dueMilliseconds` is the time of the event on the simulator's clock. */
  send(order: Order, eventName: string, result: ResultObject, dueMilliseconds: number): void {
    const faults = this.#use.faults.takeForCallback(order.orderNo, eventName);
    this.#sendWith(faults, order, eventName, result, dueMilliseconds);
    if (faults.some(({ kind }) => kind === "duplicate-payment")) {
      const later = dueMilliseconds + duplicateAfterMilliseconds;
      this.#sendWith(faults, order, eventName, anotherTransaction(result), later);
    }
  }

  /** Sends a callback again now. The schedule does not change. Undefined if the id is unknown or has no address. */
  async sendAgain(callbackId: string): Promise<Callback | undefined> {
    const job = this.#jobs.get(callbackId);
    if (job === undefined) return undefined;
    await this.#deliver(job);
    return job.callback;
  }

  /** All sent and waiting callbacks, for storage between two starts. */
  jobs(): Iterable<Job> {
    return this.#jobs.values();
  }

  /** Continues a callback of an earlier start. */
  resume(job: Job): void {
    const { state, nextAttemptMilliseconds } = job.callback;
    if (state === "held back") this.#start(job);
    else this.#jobs.set(job.callback.id, job);
    if (state === "waiting" && nextAttemptMilliseconds !== undefined) {
      this.#schedule(job, nextAttemptMilliseconds);
    }
  }

  #sendWith(
    faults: readonly CallbackFault[],
    order: Order,
    eventName: string,
    result: ResultObject,
    dueMilliseconds: number,
  ): void {
    const sentMilliseconds = this.#use.clock.wireMilliseconds();
    const draft = spoilContent(newDraft(order, eventName, result, sentMilliseconds), faults);
    const callback: Callback = {
      id: draft.id,
      eventName: draft.eventName,
      attempts: [],
      state: "waiting",
      nextAttemptMilliseconds: dueMilliseconds,
    };
    order.callbacks.push(callback);
    const url = this.#use.callbackUrl ?? order.callbackUrl;
    if (url === undefined) end(callback, "no address");
    else if (faults.some(({ kind }) => kind === "lose")) end(callback, "lost");
    else {
      const job = { order, callback, url, faults, contents: contentsOf(draft, faults) };
      const firstMilliseconds = dueMilliseconds + delayMilliseconds(faults);
      this.#start({ ...job, firstMilliseconds, tries: 0, scheduledTries: 0 });
    }
  }

  #start(job: Job): void {
    this.#jobs.set(job.callback.id, job);
    const holds = job.faults.some(({ kind }) => kind === "out-of-order");
    if (!holds || this.#held.has(job.order)) {
      this.#schedule(job, job.firstMilliseconds);
    } else {
      job.callback.state = "held back";
      this.#held.set(job.order, job);
      this.#use.clock.at(job.firstMilliseconds + longestHoldMilliseconds, () => this.#release(job));
    }
  }

  #release(job: Job | undefined): void {
    if (job === undefined || this.#held.get(job.order) !== job) return;
    this.#held.delete(job.order);
    // The user may have sent it in the meantime.
    if (job.callback.state !== "held back") return;
    job.firstMilliseconds = this.#use.clock.nowMilliseconds();
    this.#schedule(job, job.firstMilliseconds);
  }

  #schedule(job: Job, atMilliseconds: number): void {
    job.callback.state = "waiting";
    job.callback.nextAttemptMilliseconds = atMilliseconds;
    this.#use.clock.at(atMilliseconds, () => this.#attempt(job));
  }

  async #attempt(job: Job): Promise<void> {
    if (job.callback.state !== "waiting") return;
    const delivered = await this.#deliver(job);
    const offsetMilliseconds = retryOffsetsMilliseconds[job.scheduledTries];
    job.scheduledTries += 1;
    if (!delivered && offsetMilliseconds === undefined) end(job.callback, "given up");
    else if (!delivered && offsetMilliseconds !== undefined)
      this.#schedule(job, job.firstMilliseconds + offsetMilliseconds);
    this.#release(this.#held.get(job.order));
  }

  /** In sequence, so that a conflicting callback arrives after the original. */
  async #deliver(job: Job): Promise<boolean> {
    const parcels = await nextParcels(job, this.#use.retries, this.#use.clock.wireMilliseconds());
    job.tries += 1;
    for (const parcel of parcels) {
      if (!(await this.#postParcel(job, parcel))) return false;
    }
    end(job.callback, "delivered");
    return true;
  }

  async #postParcel(job: Job, { envelope, faults }: Parcel): Promise<boolean> {
    const isTwice = job.faults.some(({ kind }) => kind === "send-twice");
    const kinds = isTwice ? [...faults, "send-twice"] : faults;
    const posts = Array.from({ length: isTwice ? 2 : 1 }, () =>
      this.#inTurn(() => this.#postNow(job, envelope, kinds)),
    );
    return (await Promise.all(posts)).includes(200);
  }

  async #postNow(
    job: Job,
    envelope: string,
    faults: readonly string[],
  ): Promise<number | undefined> {
    const startedMilliseconds = this.#use.clock.wireMilliseconds();
    const answer = await this.#use.post(job.url, envelope);
    const durationMilliseconds = this.#use.clock.wireMilliseconds() - startedMilliseconds;
    job.callback.attempts.push({ startedMilliseconds, durationMilliseconds, faults, ...answer });
    const outcome = answer.httpStatus ?? answer.detail;
    this.#use.log(`callback ${job.callback.eventName} ${job.callback.id} → ${outcome}`);
    return answer.httpStatus;
  }
}

function delayMilliseconds(faults: readonly CallbackFault[]): number {
  return (faults.find((fault) => fault.kind === "delay")?.seconds ?? 0) * 1000;
}

function end(callback: Callback, state: Callback["state"]): void {
  callback.state = state;
  callback.nextAttemptMilliseconds = undefined;
}
