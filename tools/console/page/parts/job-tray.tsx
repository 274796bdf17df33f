import { useEffect } from "preact/hooks";
import type { JobsView } from "../../routes/console-routes.ts";
import type { Job } from "../../server/jobs.ts";
import { send } from "../api.ts";
import { useView } from "../use-view.ts";
import { ActionButton } from "./buttons.tsx";
import { Badge, type Tone } from "./elements.tsx";
import { useNow } from "./time.tsx";

/** Pages that poll the stack at longer intervals still follow running jobs. */
const progressMilliseconds = 2_000;
const mostShown = 3;
/** Long enough to read. */
const shownMilliseconds = 12_000;

/** Running and finished jobs, above every view: their progress and result. */
export function JobTray() {
  const { data, refresh } = useView<JobsView>("/api/jobs");
  const isBusy = data?.jobs.some(({ state }) => state === "running") ?? false;
  useEffect(() => {
    if (!isBusy) return;
    const timer = setInterval(refresh, progressMilliseconds);
    return () => clearInterval(timer);
  }, [isBusy, refresh]);
  const now = useNow();
  const shown = (data?.jobs ?? []).filter((job) => isShown(job, now)).slice(0, mostShown);
  return (
    <aside class="jobs" aria-label="Jobs" aria-live="polite">
      {shown.map((job) => (
        <JobCard key={job.id} job={job} onAct={refresh} />
      ))}
    </aside>
  );
}

/** A successful job disappears by itself, and does not reappear in a new window. A failed one stays. */
function isShown({ state, startedAt, endedAt }: Job, now: number): boolean {
  if (endedAt === undefined || state === "failed") return true;
  const isOfThisWindow = Date.parse(startedAt) >= performance.timeOrigin;
  return isOfThisWindow && now - Date.parse(endedAt) < shownMilliseconds;
}

const tones: Readonly<Record<Job["state"], Tone>> = {
  running: "open",
  done: "good",
  stopped: "plain",
  failed: "bad",
};

/** Closes it in every tab. */
function JobCard({ job, onAct }: { readonly job: Job; readonly onAct: () => void }) {
  const [verb, label] = job.state === "running" ? ["stop", "Stop"] : ["close", "Close"];
  return (
    <section class="job">
      <Badge tone={tones[job.state]}>{job.state}</Badge>
      <p>
        <strong>{job.title}</strong> <span class="quiet">{job.outcome ?? job.progress}</span>
      </p>
      <ActionButton class="small" act={() => send(`/api/jobs/${job.id}/${verb}`).then(onAct)}>
        {label}
      </ActionButton>
    </section>
  );
}
