import { randomUUID } from "node:crypto";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { messageOf } from "./route.ts";

/** Work that may take longer than a request. The page shows its progress and can stop it. */
export interface Job {
  readonly id: string;
  readonly title: string;
  readonly startedAt: string;
  readonly state: "running" | "done" | "stopped" | "failed";
  readonly endedAt: string | undefined;
  /** Its progress, in words. */
  readonly progress: string;
  /** Its result in words, or why it failed. */
  readonly outcome: string | undefined;
}

interface JobWork {
  readonly title: string;
  /** Returns the result in words. */
  readonly run: (control: JobControl) => Promise<string>;
}

export interface JobControl {
  readonly stopped: AbortSignal;
  readonly tell: (progress: string) => void;
}

export type Jobs = ReturnType<typeof createJobs>;

const mostKept = 20;

/** `changed` is called whenever a job makes progress. */
export function createJobs(changed: () => void) {
  const jobs = new Map<string, Job>();
  const running = new Map<string, { abort: () => void; ended: Promise<void> }>();
  const update = (id: string, news: Partial<Job>) => {
    const job = jobs.get(id);
    if (job !== undefined) jobs.set(id, { ...job, ...news });
    changed();
  };
  const end = (id: string, state: Job["state"], outcome: string) =>
    update(id, { state, outcome, endedAt: new Date().toISOString() });
  const run = async (id: string, work: JobWork, stopped: AbortSignal) => {
    try {
      const outcome = await work.run({ stopped, tell: (progress) => update(id, { progress }) });
      end(id, stopped.aborted ? "stopped" : "done", outcome);
    } catch (error) {
      end(id, "failed", messageOf(error));
    } finally {
      running.delete(id);
    }
  };
  const stop = (id: string) => running.get(id)?.abort();
  /** Removes a finished job from the list. */
  const close = (id: string) => {
    if (running.has(id)) return;
    jobs.delete(id);
    changed();
  };
  let isOver = false;
  return {
    /** Throws `wrong-usage` after `end`: nothing would wait for the job. */
    start: (work: JobWork) => {
      if (isOver) throw new PaycastError("wrong-usage", "The console is shutting down.");
      const id = randomUUID();
      const startedAt = new Date().toISOString();
      const job: Job = {
        id,
        startedAt,
        endedAt: undefined,
        title: work.title,
        state: "running",
        progress: "",
        outcome: undefined,
      };
      jobs.set(id, job);
      forgetOldest(jobs);
      const stopping = new AbortController();
      running.set(id, {
        abort: () => stopping.abort(),
        ended: run(id, work, stopping.signal),
      });
      changed();
      return job;
    },
    list: (): readonly Job[] => [...jobs.values()].reverse(),
    stop,
    close,
    /** Stops all jobs and waits until they end. */
    end: async () => {
      isOver = true;
      const all = [...running.values()];
      for (const { abort } of all) abort();
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}

function forgetOldest(jobs: Map<string, Job>): void {
  for (const { id, state } of jobs.values()) {
    if (jobs.size <= mostKept) return;
    if (state !== "running") jobs.delete(id);
  }
}
