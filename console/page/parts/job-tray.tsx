import { useEffect } from "preact/hooks";
import type { JobsView } from "../../routes/job-routes.ts";
import type { Job } from "../../server/jobs.ts";
import { send } from "../api.ts";
import { useView } from "../use-view.ts";
import { ActionButton } from "./action-button.tsx";
import { Badge, type Tone } from "./small.tsx";

/** Pages that poll the stack at longer intervals still see how work goes on. */
const progressMilliseconds = 2_000;
const mostShown = 3;

/** Longer work, in a corner of every view: how far it is and what came of it. */
export function JobTray() {
  const { data, refresh } = useView<JobsView>("/api/jobs");
  const isBusy = data?.jobs.some(({ state }) => state === "running") ?? false;
  useEffect(() => {
    if (!isBusy) return;
    const timer = setInterval(refresh, progressMilliseconds);
    return () => clearInterval(timer);
  }, [isBusy, refresh]);
  const shown = (data?.jobs ?? []).slice(0, mostShown);
  return (
    <aside class="jobs" aria-label="Work in progress" aria-live="polite">
      {shown.map((job) => (
        <JobCard key={job.id} job={job} onAct={refresh} />
      ))}
    </aside>
  );
}

const tones: Readonly<Record<Job["state"], Tone>> = {
  running: "open",
  done: "good",
  failed: "bad",
};

/** What is closed here is closed in every tab. */
function JobCard({ job, onAct }: { readonly job: Job; readonly onAct: () => void }) {
  const [verb, label] = job.state === "running" ? ["stop", "Stop"] : ["close", "Close"];
  return (
    <section class="job">
      <p class="line">
        <Badge tone={tones[job.state]}>{job.state}</Badge>
        <strong>{job.title}</strong>
      </p>
      <p class="quiet">{job.outcome ?? job.progress}</p>
      <ActionButton class="small" act={() => send(`/api/jobs/${job.id}/${verb}`).then(onAct)}>
        {label}
      </ActionButton>
    </section>
  );
}
