import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import {
  ListMessageMoveTasksCommand,
  type ListMessageMoveTasksResultEntry,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { PaycastError } from "../../shared/paycast-error.ts";
import { sha256Of } from "../../shared/sha256.ts";
import { mostAuditedIds } from "../audit/write-audit.ts";
import { chooseByPrefix } from "../described/fields.ts";
import { operatorsNeeded } from "../target/explain-error.ts";
import type { Target } from "../target/target.ts";
import type { DeadLetter } from "./dead-letter.ts";
import {
  type LetterQueues,
  lookAtDeadLetters,
  openLetters,
  toDeadLetter,
} from "./list-dead-letters.ts";
import type { HeldMessage } from "./message-queue.ts";
import { lookAtQueue, type Walk, type WalkOptions, walkQueue } from "./walk-queue.ts";

const sampleSize = 5;

/** What a redrive would do. */
export interface RedrivePlan {
  /** The subscriber, or "inbox". */
  readonly queue: string;
  /** `task`: SQS itself moves everything. `by-hand`: this command receives, sends and deletes. */
  readonly way: "task" | "by-hand";
  readonly count: number;
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
  /** `task-running`: the user does not wait any longer; SQS goes on without the command. */
  readonly end: Walk["end"] | "task-running" | "task-cancelled";
  readonly failure?: unknown;
}

/** Without `ids`, everything. An id may be the beginning of a message id. Throws `not-found`, `ambiguous-id`, or what `stopped` was told. */
export async function planRedrive(
  target: Target,
  name: string,
  ids: readonly string[] | undefined,
  options: WalkOptions = {},
): Promise<RedrivePlan> {
  if (ids === undefined) return await planAll(target, name);
  const { letters } = (await lookAtDeadLetters(target, name, options)).list;
  options.stopped?.throwIfAborted();
  const chosen = new Set(ids.map((id) => chooseByPrefix(letters, id, (one) => one.messageId)));
  const sample = [...chosen].slice(0, sampleSize);
  const messageIds = [...chosen].map(({ messageId }) => messageId);
  return { queue: name, way: "by-hand", count: chosen.size, sample, messageIds };
}

async function planAll(target: Target, name: string): Promise<RedrivePlan> {
  const { deadLetters } = openLetters(target, name);
  const { waiting, inFlight } = await deadLetters.count();
  const seen: DeadLetter[] = [];
  const see = (message: HeldMessage) => void seen.push(toDeadLetter(name, message));
  await lookAtQueue(deadLetters, see, { most: sampleSize });
  return {
    queue: name,
    way: target.kind === "deployed" ? "task" : "by-hand",
    count: Math.max(waiting + inFlight, seen.length),
    sample: seen.slice(0, sampleSize),
    messageIds: undefined,
  };
}

/** Does what was planned. What fails in the middle is in `failure`, together with what was moved before. */
export async function redriveDeadLetters(
  target: Target,
  plan: RedrivePlan,
  options: WalkOptions = {},
): Promise<Redriven> {
  const queues = openLetters(target, plan.queue);
  const run = randomUUID();
  await target.audit("dead-letters-redrive", {
    run,
    queue: plan.queue,
    count: plan.count,
    way: plan.way,
    messageIds: plan.messageIds?.slice(0, mostAuditedIds) ?? "all",
  });
  return plan.way === "task"
    ? await redriveByTask(target, queues, options)
    : await redriveByHand(queues, plan, run, options);
}

const askEveryMilliseconds = 1_000;

/**
 * Lets SQS itself move all messages. Throws `aws-redrive-running` if a task of this queue runs already, and `aws-refused`
 * if the task failed.
 */
async function redriveByTask(
  { clients: { sqs } }: Target,
  { queue, deadLetters }: LetterQueues,
  { stopped, onProgress }: WalkOptions,
): Promise<Redriven> {
  const SourceArn = await deadLetters.arn();
  const DestinationArn = await queue.arn();
  // The newest comes first. Only a running task has a handle, so ours cannot be found by it.
  const newestTask = async () => {
    const command = new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 1 });
    return (await sqs.send(command)).Results?.[0];
  };
  const earlier = await newestTask();
  const start = new StartMessageMoveTaskCommand({ SourceArn, DestinationArn });
  await sqs.send(start).catch(refuseSecondTask);
  while (true) {
    const newest = await newestTask();
    const isOurs = earlier === undefined || newest?.StartedTimestamp !== earlier.StartedTimestamp;
    const task = isOurs ? newest : undefined;
    const moved = task?.ApproximateNumberOfMessagesMoved ?? 0;
    onProgress?.(moved);
    const end = endOf(task);
    if (end !== "task-running" || stopped?.aborted === true) {
      return { moved, notReached: 0, cameBack: 0, end };
    }
    await pause(askEveryMilliseconds, undefined, { signal: stopped }).catch(() => undefined);
  }
}

/** SQS has no error of its own for a second task, only this message. */
function refuseSecondTask(error: unknown): never {
  const isSecond =
    error instanceof Error && /already a task running|only one active/i.test(error.message);
  if (!isSecond) throw error;
  const message =
    "Another redrive of this queue is running. SQS allows one at a time: wait for its end, then run the command again.";
  throw new PaycastError("aws-redrive-running", message, { cause: error });
}

function endOf(task: ListMessageMoveTasksResultEntry | undefined): Redriven["end"] {
  const { Status, FailureReason: reason = "no reason was given" } = task ?? {};
  if (Status === "COMPLETED") return "empty";
  if (Status === "CANCELLING" || Status === "CANCELLED") return "task-cancelled";
  if (Status !== "FAILED") return "task-running";
  const hint = /denied/i.test(reason) ? ` ${operatorsNeeded}` : "";
  const message = `SQS ended the redrive: ${reason}. What was not moved is still in the dead letters.${hint}`;
  throw new PaycastError("aws-refused", message);
}

/** An event is sent once in a run: if its consumer fails at once, the redrive would never end. */
async function redriveByHand(
  queues: LetterQueues,
  { messageIds }: RedrivePlan,
  run: string,
  options: WalkOptions,
): Promise<Redriven> {
  const left = messageIds && new Set(messageIds);
  const sentBodies = new Set<string>();
  let cameBack = 0;
  const visit = async (message: HeldMessage) => {
    if (left !== undefined && !left.has(message.messageId)) return "kept";
    const body = sha256Of(message.body);
    if (sentBodies.has(body)) {
      cameBack += 1;
      return "kept";
    }
    sentBodies.add(body);
    await sendAgain(queues, message, run);
    left?.delete(message.messageId);
    return "moved";
  };
  const { moved, end, failure } = await walkQueue(queues.deadLetters, visit, options);
  return { moved, notReached: left?.size ?? 0, cameBack, end, failure };
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
