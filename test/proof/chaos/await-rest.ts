import { setTimeout as wait } from "node:timers/promises";
import { isCurrent } from "./check/is-current.ts";
import { parseObject } from "./check/open-envelope.ts";
import type { ApiCall, MadeOrder } from "./shopper.ts";

/** Thrown if work is still in progress when the waiting time ends. */
export class NotAtRest extends Error {}

/** The work that can be in progress. Each number is 0 if there is none. */
export interface UnderWay {
  /** Envelopes without a response. */
  readonly countPosts: () => number;
  /** Messages of each queue, including those in flight. */
  readonly countQueued: () => Promise<readonly number[]>;
  /** Records with an event that a subscriber has not received, except undeliverable ones. */
  readonly countUndelivered: () => Promise<number>;
}

/** The clock, and how to wait. Tests have their own. */
export interface Clock {
  readonly now: () => number;
  readonly wait: (milliseconds: number) => Promise<unknown>;
}
const realClock: Clock = { now: Date.now, wait };

const quietLooks = 3;
const lookEveryMilliseconds = 500;
/** If the queues are empty for this long, no record changes any more. The rules then report what is missing. */
const stuckMilliseconds = 60_000;

/** Waits until three checks in a row find no work in progress. */
export async function untilAtRest(
  underWay: UnderWay,
  giveUpAtMilliseconds: number,
  clock = realClock,
): Promise<void> {
  let emptySince = clock.now();
  for (let quiet = 0; quiet < quietLooks; ) {
    const waiting = [underWay.countPosts(), ...(await underWay.countQueued())];
    const isEmpty = waiting.every((count) => count === 0);
    if (!isEmpty) emptySince = clock.now();
    const isStuck = clock.now() - emptySince > stuckMilliseconds;
    const undelivered = isEmpty && !isStuck ? await underWay.countUndelivered() : 0;
    quiet = isEmpty && undelivered === 0 ? quiet + 1 : 0;
    if (quiet === 0 && clock.now() > giveUpAtMilliseconds) {
      const counts = `${waiting.join(", ")} in the queues, ${undelivered} undelivered`;
      throw new NotAtRest(`Work is still in progress: ${counts}.`);
    }
    await clock.wait(lookEveryMilliseconds);
  }
}

export interface Answers {
  /** The final response about each order. */
  readonly answers: ReadonlyMap<string, ApiCall>;
  /** The last response about each of the others: it was stale, an error, or differed from the one before. */
  readonly unsettled: ReadonlyMap<string, ApiCall>;
}

/** The storefront API repeats a response of the service for five seconds. */
const apartMilliseconds = 6_000;
const mostPasses = 30;

/**
 * Reads each order until its response is final: two current responses agree, and no work was in progress between them.
 * A read can itself bring news: the response has it immediately, and its event follows.
 */
export async function askUntilFinal(
  orders: readonly MadeOrder[],
  {
    askAll,
    untilRest,
  }: {
    readonly askAll: (orders: readonly MadeOrder[]) => Promise<ReadonlyMap<string, ApiCall>>;
    readonly untilRest: () => Promise<void>;
  },
  clock = realClock,
): Promise<Answers> {
  const answers = new Map<string, ApiCall>();
  const last = new Map(await askAll(orders));
  let open = orders;
  for (let pass = 0; pass < mostPasses && open.length > 0; pass += 1) {
    const askedAt = clock.now();
    await untilRest();
    await clock.wait(Math.max(0, askedAt + apartMilliseconds - clock.now()));
    for (const [orderNo, answer] of await askAll(open)) {
      const isFinal = isCurrent(answer) && isSameAnswer(answer, last.get(orderNo));
      if (isFinal) answers.set(orderNo, answer);
      last.set(orderNo, answer);
    }
    open = open.filter(({ orderNo }) => !answers.has(orderNo));
  }
  const unsettled = new Map([...last].filter(([orderNo]) => !answers.has(orderNo)));
  return { answers, unsettled };
}

function isSameAnswer(left: ApiCall, right: ApiCall | undefined): boolean {
  if (right === undefined || left.status !== right.status) return false;
  return withoutTime(left) === withoutTime(right);
}

/** News has the time of the query until it is stored. */
function withoutTime({ answer }: ApiCall): string {
  const { statusAt: _statusAt, ...rest } = parseObject(answer) ?? {};
  return JSON.stringify(rest);
}
