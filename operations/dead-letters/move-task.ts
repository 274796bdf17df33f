import { setTimeout as pause } from "node:timers/promises";
import {
  ListMessageMoveTasksCommand,
  type ListMessageMoveTasksResultEntry,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { PaycastError } from "../../shared/paycast-error.ts";
import { operatorsNeeded } from "../target/explain-error.ts";
import type { Target } from "../target/target.ts";
import type { WalkOptions } from "./walk-queue.ts";

const askEveryMilliseconds = 1_000;

export interface MoveTask {
  readonly moved: number;
  /** `running`: the user does not wait any longer; SQS goes on without the command. */
  readonly status: "completed" | "running" | "cancelled";
}

interface Arns {
  readonly source: string;
  readonly destination: string;
}

/**
 * Lets SQS itself move all messages of a dead-letter queue. Throws `aws-redrive-running` if a task of this queue runs
 * already, and `aws-refused` if the task failed.
 */
export async function moveByTask(
  target: Target,
  arns: Arns,
  { stopped, onProgress }: Pick<WalkOptions, "stopped" | "onProgress"> = {},
): Promise<MoveTask> {
  const earlier = await newestTask(target, arns.source);
  await startTask(target, arns);
  while (true) {
    const newest = await newestTask(target, arns.source);
    const isOurs = newest?.StartedTimestamp !== earlier?.StartedTimestamp || earlier === undefined;
    const task = isOurs ? newest : undefined;
    const moved = task?.ApproximateNumberOfMessagesMoved ?? 0;
    onProgress?.(moved);
    const status = readStatus(task);
    if (status !== "running" || stopped?.aborted === true) return { moved, status };
    await pause(askEveryMilliseconds, undefined, { signal: stopped }).catch(() => undefined);
  }
}

async function startTask(
  { clients: { sqs } }: Target,
  { source: SourceArn, destination: DestinationArn }: Arns,
): Promise<void> {
  const command = new StartMessageMoveTaskCommand({ SourceArn, DestinationArn });
  await sqs.send(command).catch((error: unknown) => {
    if (!isSecondTask(error)) throw error;
    const message =
      "Another redrive of this queue is running. SQS allows one at a time: wait for its end, then run the command again.";
    throw new PaycastError("aws-redrive-running", message, { cause: error });
  });
}

/** SQS has no error of its own for it, only this message. */
function isSecondTask(error: unknown): boolean {
  return error instanceof Error && /already a task running|only one active/i.test(error.message);
}

/** The newest comes first. Only a running task has a handle, so ours cannot be found by it. */
async function newestTask({ clients: { sqs } }: Target, SourceArn: string) {
  const { Results = [] } = await sqs.send(
    new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 1 }),
  );
  return Results[0];
}

function readStatus(task: ListMessageMoveTasksResultEntry | undefined): MoveTask["status"] {
  switch (task?.Status) {
    case "COMPLETED":
      return "completed";
    case "CANCELLING":
    case "CANCELLED":
      return "cancelled";
    case "FAILED":
      throw ended(task.FailureReason ?? "no reason was given");
    default:
      return "running";
  }
}

function ended(reason: string): PaycastError {
  const hint = /denied/i.test(reason) ? ` ${operatorsNeeded}` : "";
  const message = `SQS ended the redrive: ${reason}. What was not moved is still in the dead letters.${hint}`;
  return new PaycastError("aws-refused", message);
}
