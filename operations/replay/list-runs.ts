import * as z from "zod";
import { describeLook } from "../described/describe.ts";
import type { Report } from "../described/description.ts";
import { text } from "../described/fields.ts";
import { findSubscriber } from "../target/target.ts";
import { isFinished, listRuns, type Run, runsOf } from "./run.ts";
import { isBeingSent } from "./run-lock.ts";

export interface ListedRun extends Run {
  readonly state: "finished" | "running" | "interrupted";
}

export interface RunList {
  /** Newest first. */
  readonly runs: readonly ListedRun[];
}

export const to = text("who gets the events", "SUBSCRIBER");

export const list = describeLook({
  verb: "list",
  summary:
    "The runs that were started in this folder, newest first. An interrupted one can be resumed.",
  input: z.object({ to }),
  // The runs of all stacks are files of this folder.
  known: async ({ to: name }, directory) => {
    const isWanted = ({ subscriber }: Run) => name === undefined || subscriber === name;
    return { report: await reportRuns(runsOf({ directory }), isWanted) };
  },
  look: async (target, { to: name }): Promise<Report<RunList>> => {
    const queueUrl = name && findSubscriber(target, name).queueUrl;
    const isWanted = (run: Run) => queueUrl === undefined || run.queueUrl === queueUrl;
    return await reportRuns(runsOf(target), isWanted);
  },
});

async function reportRuns(
  directory: string,
  isWanted: (run: Run) => boolean,
): Promise<Report<RunList>> {
  const wanted = (await listRuns(directory)).filter(isWanted);
  const runs = await Promise.all(wanted.map((run) => toListed(directory, run)));
  const rows = runs.map(({ run, target: { name: stack }, subscriber, position, events, state }) => [
    ...[run, stack, subscriber, `${position} of ${events}`, state],
  ]);
  return {
    lines: runs.length === 0 ? ["No replay was started in this folder."] : [],
    ...(rows.length > 0 && {
      table: { head: ["run", "stack", "subscriber", "done", "state"], rows },
    }),
    data: { runs },
    isGood: true,
  };
}

async function toListed(directory: string, run: Run): Promise<ListedRun> {
  if (isFinished(run)) return { ...run, state: "finished" };
  const isRunning = await isBeingSent(directory, run.run);
  return { ...run, state: isRunning ? "running" : "interrupted" };
}
