import { randomUUID } from "node:crypto";
import { type CallbackFault, isForgeryFault } from "../faults/fault.ts";
import type { FaultBoard } from "../faults/fault-board.ts";
import { sealForged, spoilContent } from "../faults/spoil-callback.ts";
import type { Callback, Order } from "../orders/order.ts";
import { type CallbackDraft, type ResultObject, sealCallback } from "../wire/callback-envelope.ts";
import type { CallbackAnswer } from "./post-callback.ts";
import { retryOffsetsMilliseconds } from "./retry-schedule.ts";
import { takeTurns } from "./take-turns.ts";

/** One step of the clock may expire thousands of orders. This many callbacks are sent at the same time. */
const mostAtATime = 50;

/** A callback that is held back for "out-of-order" is sent after this time if no other callback follows. */
const longestHoldMilliseconds = 60_000;

/** The part of the simulator's clock that the sender needs. */
interface SenderClock {
  nowMilliseconds(): number;
  /** Does the work when its time has come. */
  at(dueMilliseconds: number, work: () => Promise<void> | void): void;
}

export interface SenderDependencies {
  clock: SenderClock;
  faults: FaultBoard;
  post: (url: string, body: string) => Promise<CallbackAnswer>;
  /** If set, all callbacks go here, and the address of the order is not used. */
  callbackUrl: string | undefined;
  /** `identical`: a retry repeats the first envelope. `resealed`: new timestamp and signature, same id and content. */
  retries: "identical" | "resealed";
  log: (line: string) => void;
}

interface Job {
  readonly order: Order;
  readonly callback: Callback;
  readonly url: string;
  readonly faults: readonly CallbackFault[];
  readonly draft: CallbackDraft;
  readonly sealed: string;
  firstMilliseconds: number;
  /** `tries` counts all attempts, `scheduledTries` only those of the retry schedule. */
  tries: number;
  scheduledTries: number;
}

/** Sends callbacks and repeats each until the merchant answers HTTP 200 or the schedule ends (§6). */
export class CallbackSender {
  readonly #use: SenderDependencies;
  readonly #jobs = new Map<string, Job>();
  readonly #held = new Map<Order, Job>();
  readonly #inTurn = takeTurns(mostAtATime);

  constructor(dependencies: SenderDependencies) {
    this.#use = dependencies;
  }

  /** `dueMilliseconds` is the time of the event on the simulator's clock. */
  send(order: Order, eventName: string, result: ResultObject, dueMilliseconds: number): void {
    const faults = this.#use.faults.takeForCallback(order.orderNo);
    const draft = spoilContent(newDraft(order, eventName, result), faults);
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
      const job = { order, callback, url, faults, draft, sealed: sealCallback(draft) };
      this.#start({ ...job, firstMilliseconds: dueMilliseconds, tries: 0, scheduledTries: 0 });
    }
  }

  /** Sends a callback once more now. The schedule does not change. False if the id is unknown or has no address. */
  async sendAgain(callbackId: string): Promise<boolean> {
    const job = this.#jobs.get(callbackId);
    if (job === undefined) return false;
    await this.#deliver(job);
    return true;
  }

  #start(job: Job): void {
    this.#jobs.set(job.callback.id, job);
    const delay = job.faults.find((fault) => fault.kind === "delay");
    job.firstMilliseconds += (delay?.seconds ?? 0) * 1000;
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
    // A user may have sent it by hand in the meantime.
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

  async #deliver(job: Job): Promise<boolean> {
    const forgeries = job.faults
      .filter(isForgeryFault)
      .filter(({ attempts }) => attempts > job.tries);
    job.tries += 1;
    const copies = job.faults.some(({ kind }) => kind === "send-twice") ? 2 : 1;
    const envelope =
      forgeries.length > 0 ? await sealForged(this.#fresh(job), forgeries) : this.#sealed(job);
    const kinds = [...forgeries.map(({ kind }) => kind), ...(copies > 1 ? ["send-twice"] : [])];
    const posts = Array.from({ length: copies }, () => this.#postOnce(job, envelope, kinds));
    const statuses = await Promise.all(posts);
    const delivered = statuses.includes(200);
    if (delivered) end(job.callback, "delivered");
    return delivered;
  }

  #postOnce(job: Job, envelope: string, faults: string[]): Promise<number | undefined> {
    return this.#inTurn(() => this.#postNow(job, envelope, faults));
  }

  async #postNow(job: Job, envelope: string, faults: string[]): Promise<number | undefined> {
    const startedMilliseconds = Date.now();
    const answer = await this.#use.post(job.url, envelope);
    const durationMilliseconds = Date.now() - startedMilliseconds;
    job.callback.attempts.push({ startedMilliseconds, durationMilliseconds, faults, ...answer });
    const outcome = answer.httpStatus ?? answer.detail;
    this.#use.log(`callback ${job.callback.eventName} ${job.callback.id} → ${outcome}`);
    return answer.httpStatus;
  }

  #sealed(job: Job): string {
    return this.#use.retries === "identical" ? job.sealed : sealCallback(this.#fresh(job));
  }

  #fresh(job: Job): CallbackDraft {
    if (this.#use.retries === "identical") return job.draft;
    const { servicePrivateKey, aesKey } = job.order.merchant.sealing;
    return {
      ...job.draft,
      timestampMilliseconds: Date.now(),
      signingKey: servicePrivateKey,
      aesKey,
    };
  }
}

function newDraft(order: Order, eventName: string, result: ResultObject): CallbackDraft {
  const { merchant } = order;
  return {
    profile: merchant.profile,
    id: randomUUID(),
    merchantId: merchant.merchantId,
    eventName,
    timestampMilliseconds: Date.now(),
    result,
    signingKey: merchant.sealing.servicePrivateKey,
    aesKey: merchant.sealing.aesKey,
  };
}

function end(callback: Callback, state: Callback["state"]): void {
  callback.state = state;
  callback.nextAttemptMilliseconds = undefined;
}
