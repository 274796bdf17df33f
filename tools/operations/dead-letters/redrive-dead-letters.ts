import { randomUUID } from "node:crypto";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { sha256Of } from "../../../shared/sha256.ts";
import { chooseByPrefix } from "../described/fields.ts";
import { mostAuditedIds } from "../ports/audit.ts";
import type { HeldMessage } from "../ports/queues.ts";
import type { Target } from "../ports/target.ts";
import { lookAtQueue, type Walk, type WalkOptions, walkQueue } from "../queues/walk-queue.ts";
import { type DeadLetter, foreignMeaning, inboxName, isWithoutStamp } from "./dead-letter.ts";
import { foreignTo, type IsForeign } from "./foreign-letters.ts";
import {
  type LetterQueues,
  lookAtDeadLetters,
  openLetters,
  reasonOf,
  toShown,
  withoutContent,
} from "./list-dead-letters.ts";

const sampleSize = 5;

/** What a redrive would do. */
export interface RedrivePlan {
  /** The subscriber, or "inbox". */
  readonly queue: string;
  readonly count: number;
  /** Those of the chosen ones that are not redriven, because they have no stamp of ours. */
  readonly withoutStamp: number;
  readonly sample: readonly DeadLetter[];
  /** Undefined means all. */
  readonly messageIds: readonly string[] | undefined;
}

export interface Redriven {
  readonly moved: number;
  /** Chosen messages that were not found any more, or wait behind messages of the same order that were not chosen. */
  readonly notReached: number;
  /** Messages whose event was already sent in this run: a second copy, or it failed again. They stay. */
  readonly cameBack: number;
  /** Foreign messages. They stay. */
  readonly foreign: number;
  /** Messages of the inbox without a stamp of ours. They stay. */
  readonly withoutStamp: number;
  readonly end: Walk["end"];
  readonly failure?: unknown;
}

/**
 * Without `ids`, everything. An id may be the beginning of a message id. Throws `not-found`, `ambiguous-id`,
 * `foreign-letter`, or the reason of `stopped`.
 */
export async function planRedrive(
  target: Pick<Target, "records" | "queues">,
  name: string,
  ids: readonly string[] | undefined,
  options: WalkOptions = {},
): Promise<RedrivePlan> {
  if (ids === undefined && name !== inboxName) return await planAll(target, name);
  const { letters, total } = (await lookAtDeadLetters(target, name, options)).list;
  options.stopped?.throwIfAborted();
  if (ids === undefined) {
    return { ...planOf(name, letters), count: total - countWithoutStamp(letters), messageIds: ids };
  }
  const chosen = new Set(
    ids.map((id) => chooseByPrefix(letters, id, (letter) => letter.messageId)),
  );
  for (const letter of chosen) refuseForeign(letter);
  return planOf(name, [...chosen]);
}

/** Of the inbox, only messages with our stamp: others would become dead letters again. */
function planOf(queue: string, chosen: readonly DeadLetter[]): RedrivePlan {
  const sent = chosen.filter((letter) => !isWithoutStamp(letter));
  return {
    queue,
    count: sent.length,
    withoutStamp: countWithoutStamp(chosen),
    sample: sent.slice(0, sampleSize),
    messageIds: sent.map(({ messageId }) => messageId),
  };
}

function countWithoutStamp(letters: readonly DeadLetter[]): number {
  return letters.filter(isWithoutStamp).length;
}

function refuseForeign({ messageId, foreign }: DeadLetter): void {
  if (!foreign) return;
  throw new PaycastError("foreign-letter", `${messageId} is foreign. ${foreignMeaning}`);
}

async function planAll(
  target: Pick<Target, "records" | "queues">,
  name: string,
): Promise<RedrivePlan> {
  const { deadLetters } = openLetters(target, name);
  const { waiting, inFlight } = await deadLetters.count();
  const seen: HeldMessage[] = [];
  const see = (message: HeldMessage) => void seen.push(message);
  await lookAtQueue(deadLetters, see, { most: sampleSize });
  return {
    queue: name,
    count: Math.max(waiting + inFlight, seen.length),
    withoutStamp: 0,
    sample: (await toShown(target, name, seen.slice(0, sampleSize))).map(withoutContent),
    messageIds: undefined,
  };
}

/** Does what was planned. What fails in the middle is in `failure`, together with what was moved before. */
export async function redriveDeadLetters(
  target: Pick<Target, "records" | "queues" | "audit">,
  plan: RedrivePlan,
  options: WalkOptions = {},
): Promise<Redriven> {
  const queues = openLetters(target, plan.queue);
  const run = randomUUID();
  await target.audit.write("dead-letters-redrive", {
    run,
    queue: plan.queue,
    count: plan.count,
    messageIds: plan.messageIds?.slice(0, mostAuditedIds) ?? "all",
  });
  return await redriveEach(
    queues,
    { ...plan, run, isForeign: foreignTo(target, plan.queue) },
    options,
  );
}

interface Run {
  readonly run: string;
  readonly count: number;
  readonly messageIds: readonly string[] | undefined;
  readonly isForeign: IsForeign;
}

/**
 * Message by message, because a move task of SQS cannot skip messages. An event is sent once in a run: if its consumer
 * fails immediately, the redrive would never end.
 */
async function redriveEach(
  queues: LetterQueues,
  { run, count, messageIds, isForeign }: Run,
  options: WalkOptions,
): Promise<Redriven> {
  const remaining = messageIds && new Set(messageIds);
  const sentBodies = new Set<string>();
  let cameBack = 0;
  let foreign = 0;
  let withoutStamp = 0;
  const visit = async (message: HeldMessage) => {
    if (remaining !== undefined && !remaining.has(message.messageId)) return "kept";
    if (queues.name === inboxName && isWithoutStamp({ reason: reasonOf(message) })) {
      withoutStamp += 1;
      return "kept";
    }
    if (await isForeign(message.body)) {
      foreign += 1;
      return "kept";
    }
    const body = sha256Of(message.body);
    if (sentBodies.has(body)) {
      cameBack += 1;
      return "kept";
    }
    sentBodies.add(body);
    await sendAgain(queues, message, run);
    remaining?.delete(message.messageId);
    return "moved";
  };
  const { moved, end, failure } = await walkQueue(queues.deadLetters, visit, options);
  const unseen = end === "empty" ? Math.max(0, count - moved - cameBack - foreign) : 0;
  const notReached = remaining?.size ?? unseen;
  return { moved, notReached, cameBack, foreign, withoutStamp, end, failure };
}

/**
 * Same bytes, attributes and group. The deduplication id is new, because SQS may still remember the old one and would
 * drop the message; within a run it is the same, so that a repeated send arrives once.
 */
async function sendAgain(
  { queue, ordered }: LetterQueues,
  { body, attributes, group, messageId }: HeldMessage,
  run: string,
): Promise<void> {
  const deduplicationId = sha256Of("redrive", run, messageId);
  const order = ordered ? { group: group ?? messageId, deduplicationId } : undefined;
  await queue.send({ body, attributes, order });
}
