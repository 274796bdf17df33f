import { setTimeout as wait } from "node:timers/promises";
import { isCurrent } from "./check/is-current.ts";
import { parseObject } from "./check/open-envelope.ts";
import type { ApiCall, MadeOrder } from "./shopper.ts";

/** Thrown when the patience is over and something is still on its way. */
export class NotAtRest extends Error {}

/** What can be on its way. Each number is 0 if nothing is. */
export interface UnderWay {
  /** Envelopes that were not answered yet. */
  readonly countPosts: () => number;
  /** Messages of each queue, those that somebody holds included. */
  readonly countQueued: () => Promise<readonly number[]>;
  /** Records with an event that a subscriber has not got, except those that wait for a person. */
  readonly countUndelivered: () => Promise<number>;
}

/** The time, and how to let it pass. Tests have their own. */
export interface Clock {
  readonly now: () => number;
  readonly wait: (milliseconds: number) => Promise<unknown>;
}
const realClock: Clock = { now: Date.now, wait };

const quietLooks = 3;
const lookEveryMilliseconds = 500;
/** If the queues are empty for this long, nothing brings a record on any more. The rules then report what is missing. */
const stuckMilliseconds = 60_000;

/** Waits until nothing is on its way, in three looks one after the other. */
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
  /** The final answer about each order. */
  readonly answers: ReadonlyMap<string, ApiCall>;
  /** The last answer about each of the others: it was stale, an error, or differed from the one before. */
  readonly unsettled: ReadonlyMap<string, ApiCall>;
}

/** For five seconds the storefront API repeats what the service has answered. */
const apartMilliseconds = 6_000;
const mostPasses = 30;

/**
 * Asks about each order until its answer is final: two current answers agree, and nothing was on its way between them. A
 * question may itself bring news, which the answer has at once and the events have a moment later.
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

/** News has the time of the question until it is stored. */
function withoutTime({ answer }: ApiCall): string {
  const { statusAt: _statusAt, ...rest } = parseObject(answer) ?? {};
  return JSON.stringify(rest);
}
