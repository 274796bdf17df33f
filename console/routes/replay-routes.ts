import { join } from "node:path";
import * as z from "zod";
import { planReplay, type ReplayPlan } from "../../operations/replay/plan-replay.ts";
import { isFinished, newRun, type Run } from "../../operations/replay/run.ts";
import { createRun, listRuns, loadRun } from "../../operations/replay/run-store.ts";
import { sendRun, subscriberOf } from "../../operations/replay/send-run.ts";
import { findSubscriber } from "../../operations/target/find-subscriber.ts";
import type { Target } from "../../operations/target/target.ts";
import { counted } from "../../shared/counted.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { Desk } from "../desk.ts";
import type { Job, JobControl } from "../server/jobs.ts";
import { createPreviews } from "../server/previews.ts";
import { type ApiRoute, change, question, view } from "../server/route.ts";
import { readSelection, replaySchema } from "./replay-selection.ts";
import { progressText, sentText } from "./replay-text.ts";
import { failedAfter } from "./work-text.ts";

export interface ReplayPreview
  extends Pick<ReplayPlan, "unwanted" | "pending" | "byType" | "first" | "last" | "sample"> {
  readonly preview: string;
  readonly count: number;
  readonly eventsPerSecond: number;
}

export interface RunView {
  readonly run: string;
  readonly startedAt: string;
  readonly events: number;
  readonly position: number;
  readonly counts: Run["counts"];
  readonly selection: Run["selection"];
  readonly eventsPerSecond: number;
  readonly state: "finished" | "running" | "interrupted";
}

export interface RunsView {
  /** Newest first. */
  readonly runs: readonly RunView[];
}

export interface ResumePreview extends RunView {
  readonly preview: string;
}

interface Planned {
  readonly plan: ReplayPlan;
  readonly eventsPerSecond: number;
}

const mostRuns = 20;
/** A plan may list 500,000 events, which is some 200 MB. */
const mostPlans = 3;
const previewSchema = z.object({ preview: z.string() });

/** Runs are kept where the command keeps them, so that each can go on with what the other began. */
export function replayRoutes(desk: Desk): ApiRoute[] {
  const directory = join(desk.directory, "replays");
  const running = new Set<string>();
  const start = (target: Target, run: Run): Job => {
    if (running.has(run.run)) throw isSentNow();
    running.add(run.run);
    const { subscriber, events, position } = run;
    return desk.jobs.start({
      title: `Replay ${counted(events - position, "event")} to ${subscriber}`,
      run: (control) =>
        send(target, run, directory, control).finally(() => running.delete(run.run)),
    });
  };
  const runs = { directory, running, start };
  return [
    view("/api/subscribers/:name/runs", async ({ parts }): Promise<RunsView> => {
      const { queueUrl } = findSubscriber(await desk.target(), parts["name"] ?? "");
      const own = (await listRuns(directory)).filter((run) => run.queueUrl === queueUrl);
      return { runs: own.slice(0, mostRuns).map((run) => runView(run, running)) };
    }),
    ...newRunRoutes(desk, runs),
    ...resumeRoutes(desk, runs),
  ];
}

interface Runs {
  readonly directory: string;
  /** The runs that this console sends now. */
  readonly running: ReadonlySet<string>;
  readonly start: (target: Target, run: Run) => Job;
}

function newRunRoutes(desk: Desk, { directory, start }: Runs): ApiRoute[] {
  const plans = createPreviews<Planned>(mostPlans);
  return [
    question(
      "/api/subscribers/:name/replay/preview",
      replaySchema,
      async (asked, { parts, signal: stopped }): Promise<ReplayPreview> => {
        const { eventsPerSecond } = asked;
        const selection = readSelection(asked, Date.now());
        const looking = { stopped, onProgress: () => undefined };
        const plan = await planReplay(await desk.target(), parts["name"] ?? "", selection, looking);
        return previewOf(plans.keep({ plan, eventsPerSecond }), plan, eventsPerSecond);
      },
    ),
    change("/api/replays", previewSchema, async ({ preview }): Promise<Job> => {
      const { plan, eventsPerSecond } = plans.take(preview);
      if (plan.entries.length === 0) throw nothingToSend();
      const target = await desk.target();
      const run = newRun(target, plan, eventsPerSecond);
      await createRun(directory, run, plan.entries);
      return start(target, run);
    }),
  ];
}

function resumeRoutes(desk: Desk, { directory, running, start }: Runs): ApiRoute[] {
  const resumes = createPreviews<string>();
  return [
    question(
      "/api/replays/:run/resume/preview",
      z.object({}),
      async (_body, { parts }): Promise<ResumePreview> => {
        const run = await loadRun(directory, parts["run"] ?? "");
        subscriberOf(await desk.target(), run);
        return { preview: resumes.keep(run.run), ...runView(run, running) };
      },
    ),
    change("/api/replays/resume", previewSchema, async ({ preview }): Promise<Job> => {
      const target = await desk.target();
      return start(target, await loadRun(directory, resumes.take(preview)));
    }),
  ];
}

function previewOf(preview: string, plan: ReplayPlan, eventsPerSecond: number): ReplayPreview {
  const { entries, unwanted, pending, byType, first, last, sample } = plan;
  const found = { unwanted, pending, byType, first, last, sample };
  return { preview, count: entries.length, eventsPerSecond, ...found };
}

function runView(run: Run, running: ReadonlySet<string>): RunView {
  const { run: id, startedAt, events, position, counts, selection, eventsPerSecond } = run;
  const unfinished = running.has(id) ? "running" : "interrupted";
  const state = isFinished(run) ? "finished" : unfinished;
  return {
    ...{ run: id, startedAt, events, position, counts, selection, eventsPerSecond },
    state,
  };
}

async function send(
  target: Target,
  { run: id }: Run,
  directory: string,
  { stopped, tell }: JobControl,
): Promise<string> {
  const onProgress = (at: Run) => tell(progressText(at));
  const sent = await sendRun(target, id, { directory, stopped, onProgress });
  if (sent.kind === "failed") throw failedAfter(sentText(sent.run), sent.error);
  return sentText(sent.run);
}

function isSentNow(): PaycastError {
  return new PaycastError("replay-not-resumable", "This run is being sent now.");
}

function nothingToSend(): PaycastError {
  return new PaycastError("wrong-usage", "There is nothing to send.");
}
